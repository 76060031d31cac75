-- Open holds, one a row.
SELECT e.item.account.s AS account, h.request AS request,
  CAST(e.item.holds.m[h.request].m.n.n AS bigint) AS credits,
  CAST(e.item.holds.m[h.request].m.exp.n AS bigint) AS expires_ms,
  e.item.holds.m[h.request].m.nonce.s AS nonce,
  e.item.holds.m[h.request].m.s.s AS service
FROM {{of}}accounts_export e
CROSS JOIN UNNEST(map_keys(e.item.holds.m)) AS h (request)
