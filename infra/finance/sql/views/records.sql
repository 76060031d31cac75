-- All ledger records by their two keys.
SELECT account, period, CAST(request AS varchar) AS id, content FROM {{of}}usage
UNION ALL
SELECT account, period, record AS id, content FROM {{of}}credits
