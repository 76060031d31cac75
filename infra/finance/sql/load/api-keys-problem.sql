-- Items that are neither keys nor claims as src/credits/schema.md describes them, and the first lack.
SELECT file, key_id AS first, NULL AS second,
  CASE
    WHEN key_id IS NULL THEN 'key_id'
    WHEN starts_with(key_id, 'key_') THEN CASE
      WHEN account IS NULL THEN 'account'
      WHEN status IS NULL THEN 'status'
      WHEN created_ms IS NULL THEN 'created_at'
      WHEN status <> 'active' AND changed_ms IS NULL THEN 'changed_at' END
    WHEN starts_with(key_id, 'reference#') THEN CASE
      WHEN holder IS NULL THEN 'holder'
      WHEN kind IS NULL THEN 'kind'
      WHEN created_ms IS NULL THEN 'created_at' END
  END AS attribute
FROM {{table}}
WHERE attribute IS NOT NULL
LIMIT 1
