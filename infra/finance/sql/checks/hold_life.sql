-- No hold expires later than a request that began at the export could.
-- Name: Reservation that does not end.
-- Says: Request {request} of account {account} must have {expected}. It has {found}.
SELECT h.account, CAST(h.request AS varchar) AS request, 'an end within 240 s of the export' AS expected,
  'a hold of ' || CAST(h.credits AS varchar) || ', which ends '
    || CAST(CAST(floor((h.expires_ms - t.exported_ms) / 1000) AS bigint) AS varchar) || ' s after it' AS found
FROM holds h
CROSS JOIN export_time t
WHERE h.expires_ms > t.exported_ms + 240000
