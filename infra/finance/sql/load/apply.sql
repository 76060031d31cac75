-- The state after a chain of windows: the base without what changed, plus the last image of each
-- changed item. An item whose last change was its deletion stays away.
SELECT * FROM {{base}} b
WHERE NOT EXISTS (SELECT 1 FROM {{changes}} c WHERE c.applied AND {{same}})
UNION ALL
SELECT * EXCLUDE (window_number, applied, written_us, deleted)
FROM (
  SELECT * FROM {{changes}} c
  WHERE applied
  QUALIFY row_number() OVER (PARTITION BY {{keys}} ORDER BY written_us DESC) = 1
)
WHERE NOT deleted
