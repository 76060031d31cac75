-- Every usage record is on the account of its API key.
-- Name: Charge on another account than its API key's.
-- Says: Request {request} of account {account} has {found}. It belongs to {expected}.
SELECT u.account, CAST(u.request AS varchar) AS request,
  'account ' || k.account || ', which has that key' AS expected,
  'a charge of ' || CAST(u.charge AS varchar) || ' under ' || u.key_id AS found
FROM usage u
JOIN api_keys k ON k.key_id = u.key_id
WHERE k.account <> u.account
