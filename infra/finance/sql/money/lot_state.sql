-- What became of each top-up before the period and within it.
SELECT l.lot, l.no, l.account, l.class, l.kind, l.reference, l.at_ms, l.day, l.phase, l.credits, l.net, l.tax,
  l.pack, coalesce(l.currency, '') AS currency, coalesce(l.places, 0) AS places,
  coalesce(d.before_credits, 0) + coalesce(r.before_credits, 0) AS gone_credits,
  coalesce(d.before_net, 0) + coalesce(r.before_net, 0) AS gone_net,
  coalesce(d.used_credits, 0) AS used_credits, coalesce(d.used_net, 0) AS used_net,
  coalesce(d.adjusted_credits, 0) AS adjusted_credits, coalesce(d.adjusted_net, 0) AS adjusted_net,
  coalesce(r.credits, 0) AS refunded_credits, coalesce(r.net, 0) AS refunded_net
FROM money_lots l
LEFT JOIN (
  SELECT lot, sum(credits) FILTER (phase = 0) AS before_credits, sum(net) FILTER (phase = 0) AS before_net,
    sum(credits) FILTER (phase = 1 AND record IS NULL) AS used_credits,
    sum(net) FILTER (phase = 1 AND record IS NULL) AS used_net,
    sum(credits) FILTER (phase = 1 AND record IS NOT NULL) AS adjusted_credits,
    sum(net) FILTER (phase = 1 AND record IS NOT NULL) AS adjusted_net
  FROM money_draws
  GROUP BY lot
) d ON d.lot = l.lot
LEFT JOIN (
  SELECT lot, sum(own) FILTER (phase = 0) AS before_credits, sum(deferred_net) FILTER (phase = 0) AS before_net,
    sum(own) FILTER (phase = 1) AS credits, sum(deferred_net) FILTER (phase = 1) AS net
  FROM money_refunds
  GROUP BY lot
) r ON r.lot = l.lot
