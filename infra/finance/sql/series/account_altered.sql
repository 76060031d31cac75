-- No account has another beginning or another holder than in an earlier export.
-- Name: Account with another beginning or holder.
-- Says: Account {account} was changed: it was {expected} and is now {found}.
SELECT a.account, NULL AS request,
  'begun ' || coalesce(o.created_at, 'at no time') || ' by ' || coalesce(o.email_claim, 'nobody') AS expected,
  'begun ' || coalesce(a.created_at, 'at no time') || ' by ' || coalesce(a.email_claim, 'nobody')
    || ', with ' || CAST(a.available + a.held AS varchar) || ' credits' AS found
FROM opening_accounts o
JOIN accounts a ON a.account = o.account
WHERE a.created_at IS DISTINCT FROM o.created_at OR a.email_claim IS DISTINCT FROM o.email_claim
