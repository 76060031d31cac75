-- Grants, purchases and adjustments up to the period's end that are in the account's balance.
SELECT a.no, c.account, c.record, c.kind, c.reference, c.refunds, c.reason, c.credits,
  epoch_ms(c.created) AS at_ms, CAST(c.created AS DATE) AS day,
  CAST(CASE WHEN c.created < p.from_time THEN 0 ELSE 1 END AS UTINYINT) AS phase
FROM (SELECT *, CAST(created_at AS TIMESTAMP) AS created FROM credits) c
CROSS JOIN period p
JOIN money_accounts a ON a.account = c.account
LEFT JOIN pending n ON n.account = c.account AND n.record = c.record AND n.nonce = c.nonce
WHERE c.created <= p.last_time AND n.account IS NULL
