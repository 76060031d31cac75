-- An account has concluded at least as many top-ups as the ledger has for it.
-- Name: Top-up that the account never concluded.
-- Says: Account {account} has concluded {found}. The ledger has {expected}.
SELECT a.account, NULL AS request, CAST(c.topups AS varchar) || ' top-ups' AS expected,
  CAST(a.movements AS varchar) || ' top-ups' AS found
FROM accounts a
JOIN (
  SELECT c.account, count(*) AS topups
  FROM credits c
  LEFT JOIN pending p ON p.account = c.account AND p.record = c.record AND p.nonce = c.nonce
  WHERE p.account IS NULL
  GROUP BY c.account
) c ON c.account = a.account
WHERE a.movements < c.topups
