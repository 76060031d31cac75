-- Customers of the period: accounts that existed in it and used, bought or held credits.
SELECT b.account, e.email, b.opening, b.granted, b.purchased, b.adjusted, b.charged, b.closing
FROM balances b
LEFT JOIN emails e ON e.account = b.account
WHERE {{which}}
ORDER BY b.account
