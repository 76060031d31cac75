-- A line an account: its balance before the period, the period's movements, its balance after it,
-- what moved since, and what the export shows. A usage record belongs to the time of its request id,
-- a top-up to that of its record; what is under way counts nowhere, but what an
-- announced adjustment takes away, which has moved since.
WITH charged AS (
  SELECT u.account,
    sum(u.charge) FILTER (u.started_at < p.from_time) AS before,
    sum(u.charge) FILTER (u.started_at BETWEEN p.from_time AND p.last_time) AS during,
    sum(u.charge) FILTER (u.started_at > p.last_time) AS later
  FROM usage u
  CROSS JOIN period p
  LEFT JOIN holds h ON h.account = u.account AND h.request = u.request AND h.nonce = u.nonce
  WHERE h.account IS NULL
  GROUP BY u.account
), topped_up AS (
  SELECT c.account,
    sum(c.credits) FILTER (c.created < p.from_time) AS before,
    sum(c.credits) FILTER (c.kind = 'grant' AND c.created BETWEEN p.from_time AND p.last_time) AS granted,
    sum(c.credits) FILTER (c.kind = 'purchase' AND c.created BETWEEN p.from_time AND p.last_time)
      AS purchased,
    sum(c.credits) FILTER (c.kind = 'adjustment' AND c.created BETWEEN p.from_time AND p.last_time)
      AS adjusted,
    sum(c.credits) FILTER (c.created > p.last_time) AS later
  FROM (SELECT *, CAST(created_at AS TIMESTAMP) AS created FROM credits) c
  CROSS JOIN period p
  LEFT JOIN pending a ON a.account = c.account AND a.record = c.record AND a.nonce = c.nonce
  WHERE a.account IS NULL
  GROUP BY c.account
), moved AS (
  SELECT a.account,
    CAST(coalesce(t.before, 0) - coalesce(c.before, 0) AS BIGINT) AS opening,
    CAST(coalesce(t.granted, 0) AS BIGINT) AS granted_credits,
    CAST(coalesce(t.purchased, 0) AS BIGINT) AS purchased,
    CAST(coalesce(t.adjusted, 0) AS BIGINT) AS adjusted,
    CAST(coalesce(c.during, 0) AS BIGINT) AS charged_credits,
    CAST(coalesce(t.later, 0) - coalesce(c.later, 0) + coalesce(n.credits, 0) AS BIGINT)
      AS moved_later,
    a.available, a.held
  FROM accounts a
  LEFT JOIN charged c ON c.account = a.account
  LEFT JOIN topped_up t ON t.account = a.account
  LEFT JOIN (
    SELECT account, sum(credits) AS credits FROM pending WHERE credits < 0 GROUP BY account
  ) n ON n.account = a.account
)
SELECT account, opening, granted_credits AS granted, purchased, adjusted, charged_credits AS charged,
  opening + granted_credits + purchased + adjusted - charged_credits AS closing,
  moved_later, available AS available_at_export, held AS held_at_export
FROM moved
ORDER BY account
