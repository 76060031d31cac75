-- References of top-ups, each with the account and the kind that claimed it.
SELECT substr(key_id, 11) AS reference, holder, kind, created_at AS claimed_at, created_ms AS claimed_ms
FROM keys
WHERE starts_with(key_id, 'reference#')
