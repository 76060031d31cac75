-- Open holds, one a row.
SELECT account, CAST(hold.key AS UUID) AS request, whole(hold.value.M.n) AS credits,
  whole(hold.value.M.exp) AS expires_ms, hold.value.M.nonce.S AS nonce,
  hold.value.M.s.S AS service
FROM (SELECT account, unnest(map_entries(holds)) AS hold FROM {{of}}accounts)
