-- Purchases without a price, and those whose own price is for another number of credits.
SELECT account, reference, credits, CAST(day AS VARCHAR) AS day, pack_credits,
  count(*) OVER () AS purchases
FROM money_priced
WHERE price IS NULL OR (is_own AND credits <> pack_credits)
ORDER BY day, account, reference
LIMIT 1
