-- No top-up is in the ledger twice.
-- Name: Top-up that is in the books twice.
-- Says: The top-up {request} of account {account} must have {expected}. It has {found}.
SELECT account, record AS request, '1 record' AS expected,
  CAST(count(*) AS varchar) || ' records of ' || CAST(sum(credits) AS varchar) || ' credits' AS found
FROM credits
GROUP BY account, record
HAVING count(*) > 1
