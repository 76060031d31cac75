-- The credits behind the amounts, and what the ledger says about the same.
WITH money AS (
  SELECT coalesce(sum(CASE WHEN phase = 0 THEN credits ELSE 0 END - gone_credits), 0) AS opening,
    coalesce(sum(credits) FILTER (phase = 1 AND kind = 'grant'), 0) AS granted,
    coalesce(sum(credits) FILTER (phase = 1 AND kind = 'purchase'), 0) AS purchased,
    coalesce(sum(CASE WHEN phase = 1 AND kind = 'adjustment' THEN credits ELSE 0 END
      - adjusted_credits - refunded_credits), 0) AS adjusted,
    coalesce(sum(used_credits), 0) AS charged,
    coalesce(sum(credits - gone_credits - used_credits - adjusted_credits - refunded_credits), 0) AS closing
  FROM money_lot_state
), ledger AS (
  SELECT coalesce(sum(opening), 0) AS opening, coalesce(sum(granted), 0) AS granted,
    coalesce(sum(purchased), 0) AS purchased, coalesce(sum(adjusted), 0) AS adjusted,
    coalesce(sum(charged), 0) AS charged, coalesce(sum(closing), 0) AS closing
  FROM balances
)
SELECT v.what, CAST(v.money AS BIGINT) AS valued, CAST(v.ledger AS BIGINT) AS ledger
FROM money m
CROSS JOIN ledger l
CROSS JOIN LATERAL (
  VALUES (1, 'Opening balance', m.opening, l.opening), (2, 'Granted', m.granted, l.granted),
    (3, 'Purchased', m.purchased, l.purchased), (4, 'Adjusted and refunded', m.adjusted, l.adjusted),
    (5, 'Charged', m.charged, l.charged), (6, 'Closing balance', m.closing, l.closing)
) AS v (position, what, money, ledger)
ORDER BY v.position
