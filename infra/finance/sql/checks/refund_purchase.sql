-- A refund names a purchase of its account. All refunds of a purchase take at most what it added.
-- Name: Refund without its purchase, or above it.
-- Says: The refund {request} of account {account} needs {expected}; the ledger has {found}.
SELECT r.account, r.record AS request,
  CASE
    WHEN p.account IS NULL THEN 'a purchase ' || r.refunds || ' before it'
    ELSE 'at most ' || CAST(p.credits AS varchar) || ' credits of the purchase ' || r.refunds
  END AS expected,
  CASE
    WHEN p.account IS NULL THEN 'no such purchase'
    ELSE CAST(s.taken AS varchar) || ' credits taken'
  END AS found
FROM credits r
JOIN (
  SELECT account, refunds, -sum(credits) AS taken, max(record) AS last_record
  FROM credits
  WHERE refunds IS NOT NULL
  GROUP BY account, refunds
) s ON s.account = r.account AND s.refunds = r.refunds AND s.last_record = r.record
LEFT JOIN credits p
  ON p.account = r.account AND p.kind = 'purchase' AND p.reference = r.refunds
WHERE p.account IS NULL OR s.taken > p.credits
