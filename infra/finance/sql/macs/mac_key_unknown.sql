-- Every record's MAC is under a key that was given.
-- Name: Record under an unknown MAC key.
-- Says: The record {request} of account {account} is {found}. It needs {expected}.
SELECT account, id AS request, 'a MAC under a key that was given' AS expected,
  amount || ' under the MAC key ' || mac_key AS found
FROM authenticity
WHERE state = 'unknown'
