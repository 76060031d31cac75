-- The id of a request with Idempotency-Key is made of its day and of that key.
-- Name: Record under a foreign Idempotency-Key.
-- Says: Request {request} of account {account} has {found}. Its number belongs to {expected}.
SELECT account, CAST(request AS varchar) AS request, 'another key, or to none' AS expected,
  'the key ' || coalesce(idempotency_key, 'none') || ', the hash ' || coalesce(request_hash, 'none')
    || ' and a charge of ' || CAST(charge AS varchar) AS found
FROM usage
WHERE (idempotency_key IS NULL) <> (request_hash IS NULL)
  OR started_ms % 86400000 <> 0 AND idempotency_key IS NOT NULL
  OR substr(CAST(request AS varchar), 16, 3) <> substr(idempotency_key, 1, 3)
  OR substr(CAST(request AS varchar), 21, 3) <> substr(idempotency_key, 5, 3)
  OR substr(CAST(request AS varchar), 25, 9) <> substr(idempotency_key, 8, 9)
