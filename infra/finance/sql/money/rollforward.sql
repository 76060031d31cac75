-- From the opening to the closing deferred revenue, granted and purchased, for each currency.
SELECT class, currency, opening_credits, added_credits, raised_credits, used_credits, adjusted_credits,
  refunded_credits, closing_credits,
  decimal_text(opening_net, places) AS opening_net, decimal_text(sold_net, places) AS sold_net,
  decimal_text(sold_tax, places) AS sold_tax, decimal_text(used_net, places) AS used_net,
  decimal_text(adjusted_net, places) AS adjusted_net,
  decimal_text(refunded_net, places) AS refunded_net,
  decimal_text(closing_net, places) AS closing_net
FROM (
  SELECT class, currency, max(places) AS places,
    coalesce(sum(CASE WHEN phase = 0 THEN credits ELSE 0 END - gone_credits), 0) AS opening_credits,
    coalesce(sum(CASE WHEN phase = 0 THEN net ELSE 0 END - gone_net), 0) AS opening_net,
    coalesce(sum(credits) FILTER (phase = 1 AND kind <> 'adjustment'), 0) AS added_credits,
    coalesce(sum(credits) FILTER (phase = 1 AND kind = 'adjustment'), 0) AS raised_credits,
    coalesce(sum(net) FILTER (phase = 1), 0) AS sold_net,
    coalesce(sum(tax) FILTER (phase = 1), 0) AS sold_tax,
    sum(used_credits) AS used_credits, sum(used_net) AS used_net,
    sum(adjusted_credits) AS adjusted_credits, sum(adjusted_net) AS adjusted_net,
    sum(refunded_credits) AS refunded_credits, sum(refunded_net) AS refunded_net,
    sum(credits - gone_credits - used_credits - adjusted_credits - refunded_credits) AS closing_credits,
    sum(net - gone_net - used_net - adjusted_net - refunded_net) AS closing_net
  FROM money_lot_state
  GROUP BY class, currency
)
ORDER BY class DESC, currency
