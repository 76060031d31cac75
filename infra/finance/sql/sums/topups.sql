-- Top-ups that count on each account: those whose announcement is gone.
SELECT c.account, sum(c.credits) AS credits
FROM {{of}}credits c
LEFT JOIN {{of}}pending p ON p.account = c.account AND p.record = c.record AND p.nonce = c.nonce
WHERE p.account IS NULL
GROUP BY c.account
