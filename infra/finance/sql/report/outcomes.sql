-- How the period's requests ended.
SELECT u.outcome, count(*) AS requests, sum(u.charge) AS charged
FROM usage u
CROSS JOIN period p
WHERE u.started_at BETWEEN p.from_time AND p.last_time
GROUP BY 1
ORDER BY requests DESC, u.outcome
