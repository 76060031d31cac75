-- Every record has a MAC, from the date on from which all have one.
-- Name: Record without a MAC.
-- Says: The record {request} of account {account} is {found}. It needs {expected}.
SELECT account, id AS request, 'a MAC' AS expected, amount || ' dated ' || dated_at || ' without one' AS found
FROM authenticity
WHERE state = 'missing'
