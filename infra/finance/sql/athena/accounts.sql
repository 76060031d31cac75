-- Accounts and their balances.
SELECT item.account.s AS account,
  item.email_claim.s AS email_claim,
  item.created_at.s AS created_at,
  CAST(to_unixtime(from_iso8601_timestamp(item.created_at.s)) * 1000 AS bigint) AS created_ms,
  CAST(item.movements.n AS bigint) AS movements,
  CAST(item.available.n AS bigint) AS available,
  CAST(item.held.n AS bigint) AS held,
  CAST(item.charged.n AS bigint) AS charged,
  CAST(item.granted.n AS bigint) AS granted
FROM {{of}}accounts_export
