-- Every API key of a usage record is in the export of the keys.
-- Name: Charge under an API key that does not exist.
-- Says: Request {request} of account {account} has {found}. It needs {expected}.
SELECT u.account, CAST(u.request AS varchar) AS request, 'an API key that the service has given' AS expected,
  'a charge of ' || CAST(u.charge AS varchar) || ' under ' || u.key_id || ', which nobody has' AS found
FROM usage u
CROSS JOIN keys_time t
LEFT JOIN api_keys k ON k.key_id = u.key_id
WHERE u.key_id IS NOT NULL AND k.key_id IS NULL AND u.settled_ms <= t.keys_ms
