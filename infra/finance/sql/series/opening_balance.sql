-- The opening balance by the dates of the records is the balance in the earlier export, on every
-- account.
-- Name: Opening balance that the earlier export does not have.
-- Says: The opening balance of account {account} does not agree: {expected}, but {found}.
SELECT b.account, NULL AS request,
  'the export of ' || t.opened_at || ' shows ' || CAST(b.shown AS varchar) || ' credits' AS expected,
  'by their dates the records give ' || CAST(b.dated AS varchar) || ' credits' AS found
FROM (
  SELECT account, sum(shown) AS shown, sum(dated) AS dated
  FROM (
    SELECT account, available + held AS shown, 0 AS dated FROM opening_accounts
    UNION ALL
    SELECT c.account, 0 AS shown, c.credits AS dated
    FROM credits c
    CROSS JOIN opening_time t
    LEFT JOIN opening_credits o ON o.record = c.record AND o.period = c.period
    LEFT JOIN opening_pending p ON p.account = c.account AND p.record = c.record AND p.nonce = c.nonce
    WHERE p.account IS NULL AND (c.created_ms < t.opened_ms OR o.account IS NOT NULL)
    UNION ALL
    SELECT account, 0 AS shown, credits AS dated FROM opening_pending WHERE credits < 0
    UNION ALL
    SELECT u.account, 0 AS shown, 0 - u.charge AS dated
    FROM usage u
    CROSS JOIN opening_time t
    LEFT JOIN opening_usage o ON o.request = u.request AND o.period = u.period
    LEFT JOIN opening_holds h ON h.account = u.account AND h.request = u.request AND h.nonce = u.nonce
    WHERE h.account IS NULL AND (u.settled_ms <= t.opened_ms - 1000 OR o.account IS NOT NULL)
  ) each_entry
  GROUP BY account
) b
JOIN accounts a ON a.account = b.account
CROSS JOIN opening_time t
WHERE b.shown <> b.dated
