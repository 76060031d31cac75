-- The period's purchases by pack.
SELECT pack, currency, count(*) AS purchases, sum(credits) AS credits,
  decimal_text(sum(net), places) AS net, decimal_text(sum(tax), places) AS tax,
  decimal_text(sum(net) + sum(tax), places) AS gross
FROM money_lot_state
WHERE class = 'purchased' AND phase = 1
GROUP BY pack, currency, places
ORDER BY currency, pack
