-- Every top-up under way in an earlier export is still under way or has its record.
-- Name: Top-up that ended without a record.
-- Says: The top-up {request} of account {account} was under way in an earlier export. There must be {expected}; there is {found}.
SELECT p.account, p.record AS request, 'a record of ' || CAST(p.credits AS varchar) || ' credits' AS expected,
  'neither announcement nor record' AS found
FROM opening_pending p
LEFT JOIN pending c ON c.account = p.account AND c.record = p.record
LEFT JOIN credits r ON r.account = p.account AND r.record = p.record
WHERE c.account IS NULL AND r.account IS NULL
