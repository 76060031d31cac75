-- A top-up that is under way is of what its record says.
-- Name: Top-up under way of another amount than its record.
-- Says: The top-up {request} of account {account} is announced with {found}. Its record says {expected}.
SELECT p.account, p.record AS request, CAST(c.credits AS varchar) || ' credits' AS expected,
  CAST(p.credits AS varchar) || ' credits' AS found
FROM pending p
JOIN credits c ON c.account = p.account AND c.record = p.record AND c.nonce = p.nonce
WHERE p.credits <> c.credits
