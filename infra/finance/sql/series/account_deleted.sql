-- No account of an earlier export is gone.
SELECT o.account, NULL AS request, 'an account' AS expected, 'none' AS found
FROM opening_accounts o
LEFT JOIN accounts a ON a.account = o.account
WHERE a.account IS NULL
