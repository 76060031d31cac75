-- The charged credits of an account are the charges of its usage records whose hold is gone.
SELECT a.account, NULL AS request,
  'charges of ' || CAST(coalesce(c.credits, 0) AS varchar) || ' in the ledger' AS expected,
  'charged ' || CAST(a.charged AS varchar) AS found
FROM accounts a
LEFT JOIN charges c ON c.account = a.account
WHERE a.charged <> coalesce(c.credits, 0)
