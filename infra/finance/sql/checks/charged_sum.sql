-- The charged credits of an account are the charges of its usage records whose hold is gone.
-- Name: Charges on the account differ from the ledger.
-- Says: Account {account} states {found}, but its records are {expected}.
SELECT a.account, NULL AS request,
  'charges of ' || CAST(coalesce(c.credits, 0) AS varchar) || ' in the ledger' AS expected,
  'charged ' || CAST(a.charged AS varchar) AS found
FROM accounts a
LEFT JOIN charges c ON c.account = a.account
WHERE a.charged <> coalesce(c.credits, 0)
