-- No top-up is older than the claim of its reference.
-- Name: Top-up dated before its reference was claimed.
-- Says: The top-up {request} of account {account} is {found}. Possible is {expected}.
SELECT c.account, c.record AS request, 'a date after its claim at ' || n.claimed_at AS expected,
  CASE WHEN c.kind = 'adjustment' THEN 'an ' ELSE 'a ' END || c.kind || ' of ' || CAST(c.credits AS varchar) || ' credits dated ' || c.created_at AS found
FROM credits c
JOIN claims n ON n.reference = c.reference
WHERE c.created_ms < n.claimed_ms - 1000
