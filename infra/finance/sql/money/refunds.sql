-- Refunds, in money. `money_net` and `money_tax` went back to the customer: for a refund those of the credits
-- that it took, for a chargeback all that had not gone back before. `deferred_net` is the part of it
-- that had not been used; the rest is a loss, negative if credits were taken for which money went
-- back before.
WITH placed AS (
  SELECT l.lot, l.no, l.account, l.reference AS purchase, l.credits AS size, l.net, l.tax, l.currency,
    l.places, m.record, m.reference, m.reason, m.day, m.phase, -m.credits AS taken, s.own,
    CAST(sum(s.own) OVER w AS BIGINT) AS own_to, CAST(sum(-m.credits) OVER w AS BIGINT) AS taken_to,
    coalesce(max(CASE WHEN m.reason = 'chargeback' THEN 1 ELSE 0 END) OVER (
      PARTITION BY l.lot ORDER BY m.at_ms, m.record ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) = 1 AS is_settled
  FROM money_moved m
  JOIN money_split s ON s.no = m.no AND s.record = m.record
  JOIN money_lots l ON l.no = m.no AND l.kind = 'purchase' AND l.reference = m.refunds
  WHERE m.refunds IS NOT NULL
  WINDOW w AS (PARTITION BY l.lot ORDER BY m.at_ms, m.record ROWS UNBOUNDED PRECEDING)
), reached AS (
  -- Credits of the purchase for which money has not gone back, before and after the refund.
  SELECT *,
    CASE WHEN is_settled THEN 0 ELSE greatest(0, size - (taken_to - taken)) END AS upper,
    CASE WHEN is_settled OR reason = 'chargeback' THEN 0 ELSE greatest(0, size - taken_to) END AS lower
  FROM placed
)
SELECT *, money_net - deferred_net AS loss
FROM (
  SELECT lot, no, account, purchase, record, reference, reason, day, phase, taken, own, currency, places,
    share_of(net, upper, size) - share_of(net, lower, size) AS money_net,
    share_of(tax, upper, size) - share_of(tax, lower, size) AS money_tax,
    share_of(net, size - (own_to - own), size) - share_of(net, size - own_to, size) AS deferred_net
  FROM reached
)
