-- Counters of open holds, one a row. Null for a service that the account never used.
SELECT e.item.account.s AS account, c.counter AS counter,
  CAST(CASE c.counter
    {{cases}}
  END AS bigint) AS open
FROM {{of}}accounts_export e
CROSS JOIN (VALUES {{names}}) AS c (counter)
