-- Usage records; `content` is all that a record says, in one line.
SELECT account, period, request, started_at, started_ms, strftime(started_at, '%Y-%m') AS request_month,
  service, outcome, reserved, item_count, multiplier, charge, key_id, nonce, settled_by, settled_at,
  settled_ms, idempotency_key, request_hash,
  outcome || ' ' || coalesce(service, 'no service') || ', ' || CAST(item_count AS varchar)
    || ' items at ' || coalesce(CAST(multiplier AS varchar), 'no price') || ', charge '
    || CAST(charge AS varchar) || ' of ' || CAST(reserved AS varchar) || ', '
    || coalesce(key_id, 'no key') || ', nonce ' || nonce || ', by ' || settled_by || ' at '
    || settled_at || coalesce(', under ' || idempotency_key, '') || coalesce(' for ' || request_hash, '')
    AS content
FROM {{of}}ledger
WHERE kind = 'usage'
