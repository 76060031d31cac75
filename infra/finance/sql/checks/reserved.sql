-- A request reserved its multiplier 1 to 20 times.
-- Name: Impossible reservation.
-- Says: Request {request} of account {account} has {found}. Possible is {expected}.
SELECT account, CAST(request AS varchar) AS request,
  '1 to 20 times ' || CAST(coalesce(multiplier, 1) AS varchar) || ' reserved' AS expected,
  'reserved ' || CAST(reserved AS varchar) AS found
FROM usage
WHERE reserved < coalesce(multiplier, 1)
  OR reserved > 20 * coalesce(multiplier, 2)
  OR (multiplier > 0 AND reserved % multiplier <> 0)
