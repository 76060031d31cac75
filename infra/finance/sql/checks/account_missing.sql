-- Every account that the ledger names exists.
-- Name: Records without an account.
-- Says: Account {account} does not exist, but the books have {found}.
SELECT l.account, NULL AS request, 'an account' AS expected,
  CAST(l.records AS varchar) || ' ledger records of no account' AS found
FROM (
  SELECT account, sum(records) AS records
  FROM (
    SELECT account, count(*) AS records FROM usage GROUP BY account
    UNION ALL
    SELECT account, count(*) AS records FROM credits GROUP BY account
  ) each_kind
  GROUP BY account
) l
LEFT JOIN accounts a ON a.account = l.account
WHERE a.account IS NULL
