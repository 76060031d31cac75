-- The period's grants, purchases and adjustments. `in_flight`: recorded, but not yet in the account's
-- balance.
SELECT c.account, c.record AS record_id, c.kind, c.reference, c.credits, c.reason,
  c.created AS created_at_utc, a.account IS NOT NULL AS in_flight
FROM (SELECT *, CAST(created_at AS TIMESTAMP) AS created FROM credits) c
CROSS JOIN period p
LEFT JOIN pending a ON a.account = c.account AND a.record = c.record AND a.nonce = c.nonce
WHERE c.created BETWEEN p.from_time AND p.last_time
ORDER BY c.created, c.account, c.record
