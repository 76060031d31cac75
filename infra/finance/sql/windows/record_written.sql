-- Every record is dated when its incremental export shows that it was written.
-- Name: Record dated at another time than it was written.
-- Says: The record {request} of account {account} is {found}. It can be written {expected}.
SELECT n.account, coalesce(n.record, CAST(n.request AS varchar)) AS request,
  'at most ' || CASE WHEN n.kind = 'usage' THEN '300' ELSE '60' END || ' s after its date' AS expected,
  CASE WHEN n.kind = 'adjustment' THEN 'an ' ELSE 'a ' END || n.kind || ' of ' || CAST(coalesce(n.credits, n.charge) AS varchar) || ' credits dated '
    || coalesce(n.settled_at, n.created_at) || ', written '
    || CAST(CAST(floor((n.written_us / 1000 - n.dated_ms) / 1000) AS bigint) AS varchar) || ' s after that' AS found
FROM new_ledger n
LEFT JOIN old_ledger o ON o.period = n.period AND o.record IS NOT DISTINCT FROM n.record
  AND o.request IS NOT DISTINCT FROM n.request
WHERE o.period IS NULL AND n.written_us > 0
  AND (
    n.written_us / 1000 < n.dated_ms - 1000
    OR n.written_us / 1000 > n.dated_ms + CASE WHEN n.kind = 'usage' THEN 300000 ELSE 60000 END
  )
