-- Every record's MAC is of what the record says.
-- Name: Record that was written or changed without the key.
-- Says: The record {request} of account {account} is {found}. It needs {expected}.
SELECT account, id AS request, 'the MAC of what it says' AS expected, amount || ' with another MAC' AS found
FROM authenticity
WHERE state = 'wrong'
