-- What each account used in the period, by day and service. As in the balances, requests whose hold is still
-- open do not count yet.
SELECT u.account, CAST(u.started_at AS DATE) AS day, coalesce(u.service, 'unfinished') AS service,
  count(*) AS requests, sum(u.item_count) AS items, sum(u.charge) AS credits
FROM usage u
CROSS JOIN period p
JOIN statement_accounts s ON s.account = u.account
LEFT JOIN holds h ON h.account = u.account AND h.request = u.request AND h.nonce = u.nonce
WHERE u.started_at BETWEEN p.from_time AND p.last_time AND h.account IS NULL
GROUP BY u.account, CAST(u.started_at AS DATE), u.service
ORDER BY u.account, day, service
