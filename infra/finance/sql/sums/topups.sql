-- Top-ups that count on each account: those whose announcement is gone, and what adjustments take away
-- from their announcement on.
SELECT account, sum(credits) AS credits
FROM (
  SELECT c.account, c.credits
  FROM {{of}}credits c
  LEFT JOIN {{of}}pending p ON p.account = c.account AND p.record = c.record AND p.nonce = c.nonce
  WHERE p.account IS NULL
  UNION ALL
  SELECT account, credits FROM {{of}}pending WHERE credits < 0
) counted
GROUP BY account
