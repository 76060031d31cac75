-- Charges up to the period's end whose hold is gone, with the time that orders them: that of the settlement, but
-- within the month of the request id, to which the charge belongs. So a later month never changes
-- an earlier one.
SELECT a.no, u.request,
  least(u.settled_ms, epoch_ms(date_trunc('month', u.started_at) + INTERVAL 1 MONTH) - 1) AS at_ms,
  CAST(CASE WHEN u.started_at < p.from_time THEN 0 ELSE 1 END AS UTINYINT) AS phase,
  CAST(u.started_at AS DATE) AS day, u.service, CAST(u.charge AS INTEGER) AS credits
FROM usage u
CROSS JOIN period p
JOIN money_accounts a ON a.account = u.account
LEFT JOIN holds h ON h.account = u.account AND h.request = u.request AND h.nonce = u.nonce
WHERE u.charge > 0 AND u.started_at <= p.last_time AND h.account IS NULL
