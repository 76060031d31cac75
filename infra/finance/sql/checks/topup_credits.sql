-- A grant or purchase adds credits; only an adjustment may take any away.
-- Name: Top-up that adds nothing.
-- Says: The top-up {request} of account {account} has {found}. It needs {expected}.
SELECT account, record AS request, 'credits above 0' AS expected,
  CAST(credits AS varchar) || ' credits' AS found
FROM credits
WHERE credits = 0 OR (credits < 0 AND kind <> 'adjustment')
