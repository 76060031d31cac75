-- No request began after the export that has its record.
-- Name: Request number of the future.
-- Says: Request {request} of account {account} must have {expected}. It has {found}.
SELECT u.account, CAST(u.request AS varchar) AS request,
  'a number from before the export of ' || t.exported_at AS expected,
  'a number of ' || CAST(CAST(floor((u.started_ms - t.exported_ms) / 1000) AS bigint) AS varchar)
    || ' s after it, and a charge of ' || CAST(u.charge AS varchar) AS found
FROM usage u
CROSS JOIN export_time t
WHERE u.started_ms > t.exported_ms + 1000
