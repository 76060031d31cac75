-- Items that are no accounts as src/credits/schema.md describes them, and the first lack.
SELECT file, account AS first, NULL AS second,
  CASE
    WHEN account IS NULL THEN 'account'
    WHEN available IS NULL THEN 'available'
    WHEN held IS NULL THEN 'held'
    WHEN charged IS NULL THEN 'charged'
    WHEN granted IS NULL THEN 'granted'
    WHEN holds IS NULL
      OR len(list_filter(map_entries(holds), lambda h:
        try_cast(h.key AS UUID) IS NULL OR whole(h.value.M.n) IS NULL
        OR whole(h.value.M.exp) IS NULL OR h.value.M.nonce.S IS NULL)) > 0 THEN 'holds'
    WHEN pending IS NULL
      OR len(list_filter(map_entries(pending), lambda p:
        whole(p.value.M.n) IS NULL OR p.value.M.nonce.S IS NULL)) > 0 THEN 'pending'
  END AS attribute
FROM {{table}}
WHERE attribute IS NOT NULL
LIMIT 1
