-- The granted credits of an account are its grants, purchases and adjustments in the ledger.
-- Name: Credits on the account differ from the ledger.
-- Says: Account {account} states {found}, but its records are {expected}.
SELECT a.account, NULL AS request,
  'top-ups of ' || CAST(coalesce(t.credits, 0) AS varchar) || ' in the ledger' AS expected,
  'granted ' || CAST(a.granted AS varchar) AS found
FROM accounts a
LEFT JOIN topups t ON t.account = a.account
WHERE a.granted <> coalesce(t.credits, 0)
