-- Each purchase with its price: its own, or that of the pack with the longest beginning of the reference,
-- then with the most credits.
WITH own AS (
  SELECT m.no, m.record, p.price
  FROM money_moved m
  JOIN money_prices p ON p.reference = m.reference
  WHERE m.kind = 'purchase'
), packs AS (
  SELECT m.no, m.record, arg_max(p.price, length(p.beginning) * 1000000000 + p.credits) AS price
  FROM money_moved m
  JOIN money_prices p ON p.reference IS NULL AND p.credits <= m.credits
    AND m.at_ms >= p.from_ms AND m.at_ms < p.until_ms AND starts_with(m.reference, p.beginning)
    AND (p.credits = m.credits OR (p.several AND m.credits % p.credits = 0))
  WHERE m.kind = 'purchase'
  GROUP BY m.no, m.record
)
SELECT m.no, m.account, m.record, m.reference, m.credits, m.day, p.price, p.name AS pack,
  p.credits AS pack_credits, p.currency, p.places, p.reference IS NOT NULL AS is_own,
  p.net * (m.credits // p.credits) AS net, p.tax * (m.credits // p.credits) AS tax
FROM money_moved m
LEFT JOIN own o ON o.no = m.no AND o.record = m.record
LEFT JOIN packs k ON k.no = m.no AND k.record = m.record
LEFT JOIN money_prices p ON p.price = coalesce(o.price, k.price)
WHERE m.kind = 'purchase'
