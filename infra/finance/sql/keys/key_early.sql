-- No request is older than its API key.
-- Name: Charge under an API key that did not exist yet.
-- Says: Request {request} of account {account} has {found}. Possible is {expected}.
SELECT u.account, CAST(u.request AS varchar) AS request, 'a date after its key began at ' || k.created_at AS expected,
  'a charge of ' || CAST(u.charge AS varchar) || ' dated ' || u.settled_at || ' under ' || u.key_id AS found
FROM usage u
JOIN api_keys k ON k.key_id = u.key_id
WHERE u.settled_ms < k.created_ms - 1000
