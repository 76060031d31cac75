-- Every hold of an earlier export is still open or has its record.
-- Name: Reservation that ended without a record.
-- Says: Request {request} of account {account} held credits in an earlier export. There must be {expected}; there is {found}.
SELECT h.account, CAST(h.request AS varchar) AS request,
  'a record for the hold of ' || CAST(h.credits AS varchar) AS expected, 'neither hold nor record' AS found
FROM opening_holds h
LEFT JOIN holds c ON c.account = h.account AND c.request = h.request
LEFT JOIN usage u ON u.account = h.account AND u.request = h.request
WHERE c.account IS NULL AND u.account IS NULL
