-- Unused credits at the period's end by the age of their top-up, with their net amount.
SELECT b.label AS age, s.class, s.currency, sum(s.left_credits) AS credits,
  decimal_text(sum(s.left_net), max(s.places)) AS net
FROM (
  VALUES (1, 'up to 30 days', -1, 30), (2, '31 to 90 days', 30, 90), (3, '91 to 180 days', 90, 180),
    (4, '181 to 365 days', 180, 365), (5, 'over 365 days', 365, 1000000)
) AS b (position, label, above_days, upto_days)
JOIN (
  SELECT class, currency, places,
    credits - gone_credits - used_credits - adjusted_credits - refunded_credits AS left_credits,
    net - gone_net - used_net - adjusted_net - refunded_net AS left_net,
    (least(epoch_ms(p.last_time), t.exported_ms) - at_ms) // 86400000 AS age_days
  FROM money_lot_state
  CROSS JOIN period p
  CROSS JOIN export_time t
) s ON s.age_days > b.above_days AND s.age_days <= b.upto_days AND s.left_credits <> 0
GROUP BY b.position, b.label, s.class, s.currency
ORDER BY b.position, s.class DESC, s.currency
