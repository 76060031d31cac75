-- Charges that count on each account: those of the usage records whose hold is gone.
SELECT u.account, sum(u.charge) AS credits, count(*) AS records
FROM {{of}}usage u
LEFT JOIN {{of}}holds h ON h.account = u.account AND h.request = u.request AND h.nonce = u.nonce
WHERE h.account IS NULL
GROUP BY u.account
