-- What each top-up added, in the order of use within its class. `usable` leaves out what refunds took back
-- unused; `cum_from` to `cum_to` is its place among the class's credits.
SELECT *, CAST(cum_to - usable AS BIGINT) AS cum_from
FROM (
  SELECT *, CAST(sum(usable) OVER (
      PARTITION BY no, class ORDER BY at_ms, record ROWS UNBOUNDED PRECEDING
    ) AS BIGINT) AS cum_to
  FROM (
    SELECT CAST(row_number() OVER (ORDER BY m.no, m.at_ms, m.record) AS INTEGER) AS lot, m.no, m.account,
      m.record, m.kind, m.reference, m.at_ms, m.day, m.phase, m.credits,
      CASE WHEN m.kind = 'purchase' THEN 'purchased' ELSE 'granted' END AS class,
      CAST(CASE WHEN (m.kind = 'purchase') = ('{{first}}' = 'purchased') THEN 1 ELSE 2 END AS UTINYINT)
        AS rank,
      m.credits - coalesce(r.own, 0) AS usable,
      coalesce(p.net, 0) AS net, coalesce(p.tax, 0) AS tax, p.currency, p.places, p.pack
    FROM money_moved m
    LEFT JOIN money_priced p ON p.no = m.no AND p.record = m.record
    LEFT JOIN (
      SELECT s.no, 'purchase:' || m.refunds AS record, sum(s.own) AS own
      FROM money_split s
      JOIN money_moved m ON m.no = s.no AND m.record = s.record
      GROUP BY s.no, m.refunds
    ) r ON r.no = m.no AND r.record = m.record
    WHERE m.credits > 0
  )
)
