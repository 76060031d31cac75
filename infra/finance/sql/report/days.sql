-- Requests and charges of the period by day and service; the sweep's records name no service.
SELECT strftime(u.started_at, '%Y-%m-%d') AS day, coalesce(u.service, 'none (swept)') AS service,
  count(*) AS requests, sum(u.item_count) AS items, sum(u.charge) AS charged
FROM usage u
CROSS JOIN period p
WHERE u.started_at BETWEEN p.from_time AND p.last_time
GROUP BY 1, 2
ORDER BY 1, 2
