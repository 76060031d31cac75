-- No ledger record was altered within the window of an incremental export.
-- Name: Record that was rewritten.
-- Says: The record {request} of account {account} was rewritten. It said: {expected}. It now says: {found}.
SELECT o.account, o.id AS request, o.content AS expected, n.content AS found
FROM old_records o
JOIN new_records n ON n.period = o.period AND n.id = o.id
