-- The period's Idempotency-Keys by the number of their attempts; the sweep's records name no key.
SELECT attempts, count(*) AS keys, sum(succeeded) AS succeeded, sum(charged) AS charged
FROM (
  SELECT least(count(*), 10) AS attempts, count(*) FILTER (u.outcome = 'OK') AS succeeded,
    sum(u.charge) AS charged
  FROM usage u
  CROSS JOIN period p
  WHERE u.started_at BETWEEN p.from_time AND p.last_time AND u.idempotency_key IS NOT NULL
  GROUP BY u.account, u.idempotency_key
) each_key
GROUP BY attempts
ORDER BY attempts
