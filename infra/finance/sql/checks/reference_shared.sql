-- No reference counts for two accounts or as two kinds of top-up.
-- Name: Reference that counts twice.
-- Says: The reference of top-up {request} of account {account} counts twice. Allowed is {expected}; there are {found}.
SELECT min(account) AS account, min(record) AS request, reference || ' once' AS expected,
  CAST(count(*) AS varchar) || ' top-ups of ' || CAST(sum(credits) AS varchar) || ' credits, the last '
    || max(record) || ' of ' || max(account) AS found
FROM credits
WHERE reference <> 'test-results'
GROUP BY reference
HAVING min(account) <> max(account) OR min(kind) <> max(kind)
