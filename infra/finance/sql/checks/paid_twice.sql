-- Under one Idempotency-Key an account has at most one success within 24 hours.
-- Name: Request that was paid twice.
-- Says: Request {request} of account {account} was paid again: there must be {expected}, there is {found}.
SELECT account, CAST(request AS varchar) AS request,
  'no success under ' || idempotency_key || ' in the 86400 s before' AS expected,
  'one ' || CAST(CAST(floor((settled_ms - earlier_ms) / 1000) AS bigint) AS varchar) || ' s before' AS found
FROM (
  SELECT account, request, idempotency_key, settled_ms,
    lag(settled_ms) OVER (
      PARTITION BY account, idempotency_key ORDER BY settled_ms, CAST(request AS varchar)
    ) AS earlier_ms
  FROM usage
  WHERE idempotency_key IS NOT NULL AND outcome = 'OK'
) successes
WHERE settled_ms - earlier_ms < 86400000
