-- A hold that a usage record settles is of what the record says was reserved.
-- Name: Hold of another amount than its record.
-- Says: Request {request} of account {account} has {found}; its record needs {expected}.
SELECT h.account, CAST(h.request AS varchar) AS request,
  'a hold of the reserved ' || CAST(u.reserved AS varchar) AS expected,
  'a hold of ' || CAST(h.credits AS varchar) AS found
FROM usage u
JOIN holds h ON h.account = u.account AND h.request = u.request AND h.nonce = u.nonce
WHERE h.credits <> u.reserved
