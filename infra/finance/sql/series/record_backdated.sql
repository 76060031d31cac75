-- Every record that is dated before an earlier export is in that export, or was under way in it.
-- Name: Record that was dated back.
-- Says: The record {request} of account {account} is {found}. It should be {expected}, which does not have it.
SELECT u.account, CAST(u.request AS varchar) AS request, 'in the export of ' || t.opened_at AS expected,
  'a charge of ' || CAST(u.charge AS varchar)
    || CASE
      WHEN u.settled_ms <= t.opened_ms - 1000 THEN ' dated ' || u.settled_at
      ELSE ' for a request that began '
        || CAST(CAST(floor((t.opened_ms - u.started_ms) / 1000) AS bigint) AS varchar) || ' s before it'
    END AS found
FROM usage u
CROSS JOIN opening_time t
LEFT JOIN opening_usage o ON o.request = u.request AND o.period = u.period
LEFT JOIN opening_holds h ON h.account = u.account AND h.request = u.request AND h.nonce = u.nonce
WHERE o.account IS NULL AND h.account IS NULL
  AND (
    u.settled_ms <= t.opened_ms - 1000
    OR (
      u.started_ms <= t.opened_ms - 30000 AND u.settled_by = 'request' AND u.idempotency_key IS NULL
    )
  )
UNION ALL
SELECT c.account, c.record AS request, 'in the export of ' || t.opened_at AS expected,
  CASE WHEN c.kind = 'adjustment' THEN 'an ' ELSE 'a ' END || c.kind || ' of ' || CAST(c.credits AS varchar) || ' credits dated ' || c.created_at AS found
FROM credits c
CROSS JOIN opening_time t
LEFT JOIN opening_credits o ON o.record = c.record AND o.period = c.period
LEFT JOIN opening_pending p ON p.account = c.account AND p.record = c.record AND p.nonce = c.nonce
WHERE o.account IS NULL AND p.account IS NULL AND c.created_ms < t.opened_ms
