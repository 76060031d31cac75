-- No hold outlives its expiry by more than two sweeps.
-- Name: Reservation that was not returned.
-- Says: Request {request} of account {account} has {found}. It should be {expected}.
SELECT h.account, CAST(h.request AS varchar) AS request,
  'gone within ' || CAST(CAST(floor(t.sweeps_ms / 1000) AS bigint) AS varchar) || ' s after its expiry' AS expected,
  'a hold of ' || CAST(h.credits AS varchar) || ', open '
    || CAST(CAST(floor((t.exported_ms - h.expires_ms) / 1000) AS bigint) AS varchar) || ' s after it' AS found
FROM holds h
CROSS JOIN export_time t
WHERE h.expires_ms + t.sweeps_ms < t.exported_ms
