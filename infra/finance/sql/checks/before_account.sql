-- No record is older than its account.
-- Name: Record older than its account.
-- Says: The record {request} of account {account} is {found}. There can be {expected}.
SELECT r.account, r.id AS request, 'nothing before the account began at ' || a.created_at AS expected,
  r.amount || ' dated ' || r.dated_at AS found
FROM records r
JOIN accounts a ON a.account = r.account
WHERE r.dated_ms < a.created_ms - 1000
