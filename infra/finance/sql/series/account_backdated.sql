-- Every account that began before an earlier export is in that export.
-- Name: Account that was dated back.
-- Says: Account {account} is {found}. It should be {expected}, which does not have it.
SELECT a.account, NULL AS request, 'in the export of ' || t.opened_at AS expected,
  'an account that began at ' || a.created_at || ', with ' || CAST(a.available + a.held AS varchar)
    || ' credits' AS found
FROM accounts a
CROSS JOIN opening_time t
LEFT JOIN opening_accounts o ON o.account = a.account
WHERE o.account IS NULL AND a.created_ms < t.opened_ms - 1000
