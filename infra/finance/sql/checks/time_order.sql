-- A request is settled after it began, within 300 seconds; one with a key on the day of its id; by
-- the sweep not within its first minute.
-- Name: Settled at an impossible time.
-- Says: Request {request} of account {account} must have {expected}. It has {found}.
SELECT account, CAST(request AS varchar) AS request,
  CASE
    WHEN settled_by = 'sweep' THEN 'a settlement by the sweep at least 60 s after the beginning'
    WHEN idempotency_key IS NULL THEN 'a settlement 0 to 300 s after the beginning'
    ELSE 'a settlement 0 to 86700 s after the beginning of its day'
  END AS expected,
  'a charge of ' || CAST(charge AS varchar) || ' settled '
    || CAST(CAST(floor((settled_ms - started_ms) / 1000) AS bigint) AS varchar) || ' s after it' AS found
FROM usage
WHERE settled_ms < started_ms - 1000
  OR (settled_by = 'request' AND idempotency_key IS NULL AND settled_ms > started_ms + 300000)
  OR (settled_by = 'request' AND settled_ms > started_ms + 86700000)
  OR (settled_by = 'sweep' AND settled_ms < started_ms + 59000)
