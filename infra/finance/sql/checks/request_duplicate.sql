-- No request id occurs twice in the ledger.
-- Name: Request that is in the books twice.
-- Says: Request {request} of account {account} must have {expected}. It has {found}.
SELECT min(u.account) AS account, CAST(u.request AS varchar) AS request,
  '1 usage record' AS expected,
  CAST(count(*) AS varchar) || ' usage records, the last of ' || max(u.account) AS found
FROM usage u
JOIN (SELECT request FROM usage GROUP BY request HAVING count(*) > 1) twice
  ON twice.request = u.request
GROUP BY u.request
