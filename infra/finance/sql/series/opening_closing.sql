-- The opening balance plus the movements since then is the closing balance, on every account.
-- Name: Movement that no record explains.
-- Says: Account {account} does not roll forward: {expected}, but it has {found}.
SELECT a.account, NULL AS request,
  CAST(coalesce(o.available + o.held, 0) AS varchar) || ' + topped up '
    || CAST(coalesce(t.credits, 0) - coalesce(ot.credits, 0) AS varchar) || ' - charged '
    || CAST(coalesce(c.credits, 0) - coalesce(oc.credits, 0) AS varchar) || ' = '
    || CAST(coalesce(o.available + o.held, 0)
      + coalesce(t.credits, 0) - coalesce(ot.credits, 0)
      - coalesce(c.credits, 0) + coalesce(oc.credits, 0) AS varchar) AS expected,
  'a balance of ' || CAST(a.available + a.held AS varchar) AS found
FROM accounts a
LEFT JOIN opening_accounts o ON o.account = a.account
LEFT JOIN topups t ON t.account = a.account
LEFT JOIN opening_topups ot ON ot.account = a.account
LEFT JOIN charges c ON c.account = a.account
LEFT JOIN opening_charges oc ON oc.account = a.account
WHERE a.available + a.held <> coalesce(o.available + o.held, 0)
  + coalesce(t.credits, 0) - coalesce(ot.credits, 0)
  - coalesce(c.credits, 0) + coalesce(oc.credits, 0)
