-- The held credits of an account are the sum of its open holds.
-- Name: Held credits without open requests.
-- Says: Account {account} states {found}, but has {expected}.
SELECT a.account, NULL AS request,
  'open holds of ' || CAST(coalesce(h.credits, 0) AS varchar) AS expected,
  'held ' || CAST(a.held AS varchar) AS found
FROM accounts a
LEFT JOIN (SELECT account, sum(credits) AS credits FROM holds GROUP BY account) h
  ON h.account = a.account
WHERE a.held <> coalesce(h.credits, 0)
