-- No balance of an account is below zero.
-- Name: Overdrawn account.
-- Says: Account {account} is overdrawn: {found}. Allowed is {expected}.
SELECT account, NULL AS request,
  'no balance below 0' AS expected,
  'available ' || CAST(available AS varchar) || ', held ' || CAST(held AS varchar)
    || ', charged ' || CAST(charged AS varchar) AS found
FROM accounts
WHERE available < 0 OR held < 0 OR charged < 0
