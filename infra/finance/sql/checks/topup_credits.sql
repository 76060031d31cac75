-- A grant or purchase adds credits; only an adjustment may take any away. A refund adds none.
-- Name: Top-up of the wrong sign.
-- Says: The top-up {request} of account {account} has {found}. It needs {expected}.
SELECT account, record AS request,
  CASE WHEN refunds IS NULL THEN 'credits above 0' ELSE 'no credits added' END AS expected,
  CAST(credits AS varchar) || ' credits' AS found
FROM credits
WHERE CASE
  WHEN refunds IS NOT NULL THEN credits > 0
  ELSE credits = 0 OR (credits < 0 AND kind <> 'adjustment')
END
