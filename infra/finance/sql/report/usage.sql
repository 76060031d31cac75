-- The period's usage records, in the order of time. `in_flight`: the record is written while its hold
-- is still open, so that the account's balance does not show the charge yet. Under an
-- `idempotency_key`, the id and `started_at_utc` have the start of the day alone.
SELECT u.account, CAST(u.request AS VARCHAR) AS request_id, 
  u.started_at AS started_at_utc, u.key_id, u.service, u.outcome,
  u.reserved, u.item_count, u.multiplier, u.charge, u.reserved - u.charge AS refunded,
  u.settled_by, CAST(u.settled_at AS TIMESTAMP) AS settled_at_utc, h.account IS NOT NULL AS in_flight,
  u.idempotency_key
FROM usage u
CROSS JOIN period p
LEFT JOIN holds h ON h.account = u.account AND h.request = u.request AND h.nonce = u.nonce
WHERE u.started_at BETWEEN p.from_time AND p.last_time
ORDER BY u.request, u.account
