-- The whole: balances over all accounts, and the period's requests.
SELECT b.*, u.*, t.*, h.*,
  (SELECT count(*) FROM pending) AS announced_topups
FROM (
  SELECT count(*) AS accounts,
    coalesce(sum(opening), 0) AS opening, coalesce(sum(granted), 0) AS granted,
    coalesce(sum(purchased), 0) AS purchased, coalesce(sum(adjusted), 0) AS adjusted,
    coalesce(sum(charged), 0) AS charged, coalesce(sum(closing), 0) AS closing,
    coalesce(sum(moved_later), 0) AS moved_later,
    coalesce(sum(available_at_export), 0) AS available_at_export,
    coalesce(sum(held_at_export), 0) AS held_at_export
  FROM balances
) b
CROSS JOIN (
  SELECT count(*) AS requests, count(*) FILTER (u.outcome = 'OK') AS succeeded,
    count(u.idempotency_key) AS keyed,
    coalesce(sum(u.item_count), 0) AS items, coalesce(sum(u.charge), 0) AS usage_charged
  FROM usage u
  CROSS JOIN period p
  WHERE u.started_at BETWEEN p.from_time AND p.last_time
) u
CROSS JOIN (
  SELECT count(*) AS topups, coalesce(sum(c.credits), 0) AS topups_credits
  FROM credits c
  CROSS JOIN period p
  WHERE CAST(c.created_at AS TIMESTAMP) BETWEEN p.from_time AND p.last_time
) t
CROSS JOIN (
  -- Requests of the period that may still be charged.
  SELECT count(h.account) AS open_holds,
    count(h.account) FILTER (uuid_time(CAST(h.request AS VARCHAR)) <= p.last_time) AS unfinished
  FROM period p
  LEFT JOIN holds h ON true
) h
