-- No ledger record was altered within the window of an incremental export.
SELECT o.account, o.id AS request, o.content AS expected, n.content AS found
FROM old_records o
JOIN new_records n ON n.period = o.period AND n.id = o.id
