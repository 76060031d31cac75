-- A grant or purchase adds credits; only an adjustment may take any away.
SELECT account, record AS request, 'credits above 0' AS expected,
  CAST(credits AS varchar) || ' credits' AS found
FROM credits
WHERE credits = 0 OR (credits < 0 AND kind <> 'adjustment')
