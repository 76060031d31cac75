-- No record is dated after the export that has it.
-- Name: Record dated in the future.
-- Says: The record {request} of account {account} is {found}. It can have {expected}.
SELECT r.account, r.id AS request, 'a date up to the export of ' || t.exported_at AS expected,
  r.amount || ' dated ' || r.dated_at AS found
FROM records r
CROSS JOIN export_time t
WHERE r.dated_ms > t.exported_ms + 1000
