-- What is available, held and charged adds up to what was granted, on every account.
-- Name: Account that does not add up.
-- Says: Account {account} does not add up: it states {expected}, but has {found}.
SELECT account, NULL AS request,
  'granted ' || CAST(granted AS varchar) AS expected,
  'available ' || CAST(available AS varchar) || ' + held ' || CAST(held AS varchar)
    || ' + charged ' || CAST(charged AS varchar)
    || ' = ' || CAST(available + held + charged AS varchar) AS found
FROM accounts
WHERE available + held + charged <> granted
