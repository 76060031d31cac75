-- Every top-up since the first claim of a reference has claimed its reference.
-- Name: Top-up whose reference nobody claimed.
-- Says: The top-up {request} of account {account} is {found}. It needs {expected}.
SELECT c.account, c.record AS request, 'a claim of ' || c.reference AS expected,
  CASE WHEN c.kind = 'adjustment' THEN 'an ' ELSE 'a ' END || c.kind || ' of ' || CAST(c.credits AS varchar) || ' credits without one' AS found
FROM credits c
CROSS JOIN keys_time t
LEFT JOIN claims n ON n.reference = c.reference
WHERE c.reference <> 'test-results' AND n.reference IS NULL
  AND c.created_ms >= t.first_claim_ms AND c.created_ms <= t.keys_ms
