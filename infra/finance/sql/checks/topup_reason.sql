-- Every adjustment states its reason; a grant or purchase has none.
-- Name: Adjustment without a reason.
-- Says: The top-up {request} of account {account} is this {found}. It needs {expected}.
SELECT account, record AS request,
  CASE kind WHEN 'adjustment' THEN 'a reason' ELSE 'no reason' END AS expected,
  kind || ' of ' || CAST(credits AS varchar) || coalesce(' for: ' || reason, ' without a reason') AS found
FROM credits
WHERE (kind = 'adjustment') <> (reason IS NOT NULL)
