-- The multiplier of a usage record is its service's; none where the sweep wrote it.
-- Name: Price that is not the service's.
-- Says: Request {request} of account {account} is priced at {found}. The price list has {expected}.
SELECT u.account, CAST(u.request AS varchar) AS request,
  coalesce(CAST(s.multiplier AS varchar), 'none') || ' credits per item of '
    || coalesce(u.service, 'no service') AS expected,
  coalesce(CAST(u.multiplier AS varchar), 'none') AS found
FROM usage u
LEFT JOIN services s ON s.service = u.service
WHERE u.multiplier IS DISTINCT FROM s.multiplier
