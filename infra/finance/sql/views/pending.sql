-- Announced top-ups, one a row.
SELECT account, topup.key AS record, whole(topup.value.M.n) AS credits,
  topup.value.M.nonce.S AS nonce
FROM (SELECT account, unnest(map_entries(pending)) AS topup FROM {{of}}accounts)
