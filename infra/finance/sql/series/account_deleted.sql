-- No account of an earlier export is gone.
-- Name: Account that was removed.
-- Says: Account {account} is gone: an earlier export has {expected}, this one has {found}.
SELECT o.account, NULL AS request, 'an account with ' || CAST(o.available + o.held AS varchar) || ' credits' AS expected, 'none' AS found
FROM opening_accounts o
LEFT JOIN accounts a ON a.account = o.account
WHERE a.account IS NULL
