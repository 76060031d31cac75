-- The journal: a debit is positive, a credit negative. Each entry sums up to 0.
WITH revenue AS (
  SELECT d.day, d.service, l.currency, l.places, sum(d.net) AS net
  FROM money_draws d
  JOIN money_lots l ON l.lot = d.lot
  WHERE d.phase = 1 AND d.record IS NULL AND l.currency IS NOT NULL
  GROUP BY ALL
), adjusted AS (
  SELECT d.day, d.record, l.account, l.currency, l.places, sum(d.net) AS net
  FROM money_draws d
  JOIN money_lots l ON l.lot = d.lot
  WHERE d.phase = 1 AND d.record IS NOT NULL AND l.currency IS NOT NULL
  GROUP BY ALL
), sales AS (
  SELECT * FROM money_lot_state WHERE class = 'purchased' AND phase = 1
), refunds AS (
  SELECT * FROM money_refunds WHERE phase = 1
), lines AS (
  SELECT day, 1 AS step, account, reference, currency, places, 'Sale of credits' AS text,
    unnest(['receivable', 'deferred_revenue', 'output_tax']) AS role, '' AS service,
    unnest([net + tax, -net, -tax]) AS amount
  FROM sales
  UNION ALL
  SELECT day, 2, account, reference, currency, places,
    CASE reason WHEN 'chargeback' THEN 'Chargeback of ' ELSE 'Refund of ' END || purchase,
    unnest(['deferred_revenue', 'losses', 'output_tax', 'receivable']), '',
    unnest([deferred_net, loss, money_tax, -money_net - money_tax])
  FROM refunds
  UNION ALL
  SELECT day, 3, account, record, currency, places, 'Credits taken away',
    unnest(['deferred_revenue', 'adjustments']), '', unnest([net, -net])
  FROM adjusted
  UNION ALL
  SELECT day, 4, '', service, currency, places, 'Credits used',
    unnest(['deferred_revenue', 'revenue']), service, unnest([net, -net])
  FROM revenue
)
SELECT dense_rank() OVER (ORDER BY day, step, account, reference, currency) AS entry, day, step, account,
  reference, currency, places, text, role, service, CAST(amount AS HUGEINT) AS amount
FROM lines
WHERE amount <> 0
