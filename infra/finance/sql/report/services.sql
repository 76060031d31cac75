-- Requests and charges of the period by month and service.
SELECT strftime(u.started_at, '%Y-%m') AS month, coalesce(u.service, 'none (swept)') AS service,
  count(*) AS requests, count(*) FILTER (u.outcome = 'OK') AS succeeded, sum(u.item_count) AS items,
  sum(u.charge) AS charged
FROM usage u
CROSS JOIN period p
WHERE u.started_at BETWEEN p.from_time AND p.last_time
GROUP BY 1, 2
ORDER BY 1, 2
