-- Items that are no ledger records as src/credits/schema.md describes them, and the first lack.
SELECT file, period AS first, coalesce(record, CAST(request AS VARCHAR)) AS second,
  CASE
    WHEN period IS NULL THEN 'account_period'
    WHEN kind IS NULL OR kind NOT IN ('usage', 'grant', 'purchase', 'adjustment') THEN 'kind'
    WHEN account IS NULL THEN 'account'
    WHEN nonce IS NULL THEN 'nonce'
    WHEN kind <> 'usage' THEN CASE
      WHEN record IS NULL THEN 'record_id'
      WHEN reference IS NULL THEN 'reference'
      WHEN credits IS NULL THEN 'credits'
      WHEN try_cast(created_at AS TIMESTAMP) IS NULL THEN 'created_at' END
    WHEN request IS NULL THEN 'record_id'
    WHEN outcome IS NULL THEN 'outcome'
    WHEN reserved IS NULL THEN 'reserved'
    WHEN item_count IS NULL THEN 'item_count'
    WHEN charge IS NULL THEN 'charge'
    WHEN settled_by IS NULL THEN 'settled_by'
    WHEN try_cast(settled_at AS TIMESTAMP) IS NULL THEN 'settled_at'
  END AS attribute
FROM {{table}}
WHERE attribute IS NOT NULL
LIMIT 1
