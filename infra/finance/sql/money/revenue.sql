-- Revenue of the period by day, service and currency. Granted credits have no currency and no revenue.
SELECT strftime(d.day, '%Y-%m-%d') AS day, coalesce(d.service, 'none (swept)') AS service,
  l.currency, sum(d.credits) AS credits,
  decimal_text(sum(d.net), max(coalesce(l.places, 0))) AS net
FROM money_draws d
JOIN money_lots l ON l.lot = d.lot
WHERE d.phase = 1 AND d.record IS NULL
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3 NULLS FIRST
