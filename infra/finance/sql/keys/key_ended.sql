-- No request ran under an API key that had ended 300 seconds before.
-- Name: Charge under an API key that had ended.
-- Says: Request {request} of account {account} has {found}. Possible is {expected}.
SELECT u.account, CAST(u.request AS varchar) AS request, 'nothing after its key ended at ' || k.ended_at AS expected,
  'a charge of ' || CAST(u.charge AS varchar) || ' dated ' || u.settled_at || ' under ' || u.key_id AS found
FROM usage u
JOIN api_keys k ON k.key_id = u.key_id
WHERE u.settled_ms > k.ended_ms + 300000
