-- A request that failed is charged nothing.
-- Name: Failed request that was charged.
-- Says: Request {request} of account {account} failed and was charged: due is {expected}, the record says {found}.
SELECT account, CAST(request AS varchar) AS request,
  'charge 0 for ' || outcome AS expected, 'charge ' || CAST(charge AS varchar) AS found
FROM usage
WHERE outcome <> 'OK' AND charge <> 0
