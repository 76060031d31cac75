-- All ledger records by their two keys, with their date and their amount.
SELECT account, period, CAST(request AS varchar) AS id, content, settled_at AS dated_at,
  settled_ms AS dated_ms, 'a charge of ' || CAST(charge AS varchar) AS amount
FROM {{of}}usage
UNION ALL
SELECT account, period, record AS id, content, created_at AS dated_at, created_ms AS dated_ms,
  CASE WHEN kind = 'adjustment' THEN 'an ' ELSE 'a ' END || kind || ' of ' || CAST(credits AS varchar) || ' credits' AS amount
FROM {{of}}credits
