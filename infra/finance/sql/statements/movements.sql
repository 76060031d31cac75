-- The period's top-ups of each account, with their amounts where there are prices.
SELECT c.account, CAST(c.created AS DATE) AS day, c.kind, c.reference, c.refunds, c.reason, c.credits,
  {{amounts}}
FROM (SELECT *, CAST(created_at AS TIMESTAMP) AS created FROM credits) c
CROSS JOIN period p
JOIN statement_accounts s ON s.account = c.account
LEFT JOIN pending n ON n.account = c.account AND n.record = c.record AND n.nonce = c.nonce
{{joins}}
WHERE c.created BETWEEN p.from_time AND p.last_time AND n.account IS NULL
ORDER BY c.account, c.created, c.record
