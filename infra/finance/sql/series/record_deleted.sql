-- No ledger record of an earlier export is gone.
-- Name: Record that was removed.
-- Says: The record {request} of account {account} was removed. It said: {expected}.
SELECT o.account, CAST(o.request AS varchar) AS request, o.content AS expected, 'no record' AS found
FROM opening_usage o
LEFT JOIN usage c ON c.request = o.request AND c.period = o.period
WHERE c.account IS NULL
UNION ALL
SELECT o.account, o.record AS request, o.content AS expected, 'no record' AS found
FROM opening_credits o
LEFT JOIN credits c ON c.record = o.record AND c.period = o.period
WHERE c.account IS NULL
