-- API keys, with the time from which each was no longer accepted; null for none.
SELECT key_id, account, created_at, created_ms,
  least(CASE WHEN status <> 'active' THEN changed_ms END, expires_ms) AS ended_ms,
  least(CASE WHEN status <> 'active' THEN changed_at END, expires_at) AS ended_at
FROM keys
WHERE starts_with(key_id, 'key_')
