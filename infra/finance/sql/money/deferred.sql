-- Lines of deferred.csv: each top-up of which something was there in the period.
SELECT account, class, guard(reference) AS reference, pack, day, credits,
  CASE WHEN phase = 0 THEN credits ELSE 0 END - gone_credits AS opening_credits,
  used_credits, adjusted_credits, refunded_credits,
  credits - gone_credits - used_credits - adjusted_credits - refunded_credits AS closing_credits,
  nullif(currency, '') AS currency, decimal_text(net, places) AS net, decimal_text(tax, places) AS tax,
  decimal_text(CASE WHEN phase = 0 THEN net ELSE 0 END - gone_net, places) AS opening_net,
  decimal_text(used_net, places) AS used_net, decimal_text(adjusted_net, places) AS adjusted_net,
  decimal_text(refunded_net, places) AS refunded_net,
  decimal_text(net - gone_net - used_net - adjusted_net - refunded_net, places) AS closing_net
FROM money_lot_state
WHERE credits > gone_credits
ORDER BY account, day, reference
