-- No API key is used by two accounts.
-- Name: API key with records on two accounts.
-- Says: The API key of account {account} has records on another account too: {found}.
SELECT min(account) AS account, NULL AS request, key_id || ' on one account' AS expected,
  key_id || ' also on ' || max(account) || ', with charges of '
    || CAST(sum(CASE WHEN account = last_account THEN charge ELSE 0 END) AS varchar) || ' there' AS found
FROM (
  SELECT account, key_id, charge, max(account) OVER (PARTITION BY key_id) AS last_account,
    min(account) OVER (PARTITION BY key_id) AS first_account
  FROM (
    SELECT account, key_id, sum(charge) AS charge
    FROM usage
    WHERE key_id IS NOT NULL
    GROUP BY account, key_id
  ) each_account
) keys
WHERE first_account <> last_account
GROUP BY key_id
