-- No ledger record of an earlier export was altered.
-- Name: Record that was rewritten.
-- Says: The record {request} of account {account} was rewritten. It said: {expected}. It now says: {found}.
SELECT o.account, CAST(o.request AS varchar) AS request, o.content AS expected, c.content AS found
FROM opening_usage o
JOIN usage c ON c.request = o.request AND c.period = o.period
WHERE c.content <> o.content
UNION ALL
SELECT o.account, o.record AS request, o.content AS expected, c.content AS found
FROM opening_credits o
JOIN credits c ON c.record = o.record AND c.period = o.period
WHERE c.content <> o.content
