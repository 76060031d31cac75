-- Which credits of which top-up each use took, and their net amount. A use that reaches over the end of one
-- top-up is cut there: at most one at each end, so that the second join is small.
WITH placed AS MATERIALIZED (
  SELECT p.*, l.lot, l.cum_from, l.cum_to, l.net, l.credits AS size
  FROM money_parts p
  ASOF JOIN (SELECT * FROM money_lots WHERE usable > 0) l
    ON l.no = p.no AND l.rank = p.rank AND p.part_from >= l.cum_from
), cut AS (
  SELECT lot, record, phase, day, service, net, size, part_from - cum_from AS first, part_to - cum_from AS last
  FROM placed
  WHERE part_to <= cum_to
  UNION ALL
  SELECT l.lot, p.record, p.phase, p.day, p.service, l.net, l.credits,
    greatest(p.part_from, l.cum_from) - l.cum_from, least(p.part_to, l.cum_to) - l.cum_from
  FROM placed p
  JOIN money_lots l ON l.no = p.no AND l.rank = p.rank AND l.usable > 0
    AND l.cum_from < p.part_to AND l.cum_to > p.part_from
  WHERE p.part_to > p.cum_to
)
SELECT lot, record, phase, day, service, CAST(last - first AS INTEGER) AS credits,
  CASE WHEN net = 0 THEN 0 ELSE share_of(net, last, size) - share_of(net, first, size) END AS net
FROM cut
