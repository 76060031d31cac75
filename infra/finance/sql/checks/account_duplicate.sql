-- No account is listed twice.
-- Name: Account that is listed twice.
-- Says: Account {account} must be listed with {expected}. It is listed with {found}.
SELECT account, NULL AS request, '1 balance' AS expected,
  CAST(count(*) AS varchar) || ' balances of ' || CAST(sum(available + held) AS varchar) || ' credits' AS found
FROM accounts
GROUP BY account
HAVING count(*) > 1
