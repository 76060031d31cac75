-- All movements of the accounts that have a refund, each with what requests had used before it.
SELECT no, record, kind, reference, refunds, credits, used_before
FROM (
  SELECT no, record, kind, reference, refunds, credits, at_ms,
    CAST(coalesce(sum(used) OVER (
      PARTITION BY no ORDER BY at_ms, record NULLS LAST, request ROWS UNBOUNDED PRECEDING
    ), 0) AS BIGINT) AS used_before
  FROM (
    SELECT no, at_ms, record, kind, reference, refunds, credits, NULL AS request, 0 AS used
    FROM money_moved
    UNION ALL
    SELECT no, at_ms, NULL, NULL, NULL, NULL, 0, request, credits FROM money_uses
  )
  WHERE no IN (SELECT no FROM money_moved WHERE refunds IS NOT NULL)
)
WHERE record IS NOT NULL
ORDER BY no, at_ms, record
