-- Each use of credits, split into what comes from the class used first (1) and from the other one (2), as
-- places among the class's credits. What the second one gave so far is the highest excess, up to then, of
-- what was used over what the first class had added.
WITH events AS (
  SELECT no, at_ms, NULL AS record, request, phase, day, service, credits, 0 AS added FROM money_uses
  UNION ALL
  SELECT m.no, m.at_ms, m.record, NULL, m.phase, m.day, NULL,
    CAST(-m.credits - coalesce(s.own, 0) AS INTEGER), 0
  FROM money_moved m
  LEFT JOIN money_split s ON s.no = m.no AND s.record = m.record
  WHERE m.credits < 0
  UNION ALL
  SELECT no, at_ms, record, NULL, phase, day, NULL, 0, usable FROM money_lots WHERE rank = 1
), summed AS (
  SELECT no, at_ms, record, request, phase, day, service, credits,
    CAST(sum(credits) OVER w AS BIGINT) AS used,
    CAST(sum(credits) OVER w AS BIGINT) - CAST(sum(added) OVER w AS BIGINT) AS excess
  FROM events
  WINDOW w AS (PARTITION BY no ORDER BY at_ms, record NULLS LAST, request ROWS UNBOUNDED PRECEDING)
), split AS (
  SELECT no, record, phase, day, service, credits, used,
    greatest(0, max(excess) OVER w) AS second_to,
    greatest(0, coalesce(max(excess) OVER (
      PARTITION BY no ORDER BY at_ms, record NULLS LAST, request
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0)) AS second_from
  FROM summed
  WINDOW w AS (PARTITION BY no ORDER BY at_ms, record NULLS LAST, request ROWS UNBOUNDED PRECEDING)
)
SELECT no, CAST(1 AS UTINYINT) AS rank, record, phase, day, service,
  used - credits - second_from AS part_from, used - second_to AS part_to
FROM split
WHERE used - second_to > used - credits - second_from
UNION ALL
SELECT no, CAST(2 AS UTINYINT), record, phase, day, service, second_from, second_to
FROM split
WHERE second_to > second_from
