-- No record is in an export from before its date.
-- Name: Record in an export from before its date.
-- Says: The record {request} of account {account} is {found}. It can have {expected}.
SELECT r.account, r.id AS request, 'a date up to the export of ' || t.opened_at || ', which has it' AS expected,
  r.amount || ' dated ' || r.dated_at AS found
FROM opening_records r
CROSS JOIN opening_time t
WHERE r.dated_ms > t.opened_ms + 1000
