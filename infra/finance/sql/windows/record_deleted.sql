-- No ledger record was deleted within the window of an incremental export.
-- Name: Record that was removed.
-- Says: The record {request} of account {account} was removed. It said: {expected}.
SELECT o.account, o.id AS request, o.content AS expected, 'no record' AS found
FROM old_records o
LEFT JOIN new_records n ON n.period = o.period AND n.id = o.id
WHERE n.id IS NULL
