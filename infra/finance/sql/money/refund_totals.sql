-- The period's refunds and chargebacks.
SELECT reason, currency, count(*) AS refunds, sum(taken) AS credits,
  decimal_text(sum(money_net), places) AS net, decimal_text(sum(money_tax), places) AS tax,
  decimal_text(sum(money_net) + sum(money_tax), places) AS gross,
  decimal_text(sum(deferred_net), places) AS deferred_net, decimal_text(sum(loss), places) AS loss
FROM money_refunds
WHERE phase = 1
GROUP BY reason, currency, places
ORDER BY currency, reason
