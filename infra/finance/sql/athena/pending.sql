-- Announced top-ups, one a row.
SELECT e.item.account.s AS account, p.record AS record,
  CAST(e.item.pending.m[p.record].m.n.n AS bigint) AS credits,
  e.item.pending.m[p.record].m.nonce.s AS nonce
FROM {{of}}accounts_export e
CROSS JOIN UNNEST(map_keys(e.item.pending.m)) AS p (record)
