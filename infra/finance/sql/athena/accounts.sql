-- Accounts and their balances.
SELECT item.account.s AS account,
  CAST(item.available.n AS bigint) AS available,
  CAST(item.held.n AS bigint) AS held,
  CAST(item.charged.n AS bigint) AS charged,
  CAST(item.granted.n AS bigint) AS granted
FROM {{of}}accounts_export
