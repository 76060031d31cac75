-- The charge of a usage record is its items times its multiplier; 0 where the sweep wrote it.
-- Name: Wrong charge.
-- Says: Request {request} of account {account} is charged wrongly. Its items give {expected}; the record says {found}.
SELECT account, CAST(request AS varchar) AS request,
  'charge ' || CAST(item_count * coalesce(multiplier, 0) AS varchar) || ' for '
    || CAST(item_count AS varchar) || ' items at ' || coalesce(CAST(multiplier AS varchar), 'no price')
    AS expected,
  'charge ' || CAST(charge AS varchar) AS found
FROM usage
WHERE charge <> item_count * coalesce(multiplier, 0)
