-- What is available, held and charged adds up to what was granted, on every account.
SELECT account, NULL AS request,
  'granted ' || CAST(granted AS varchar) AS expected,
  'available ' || CAST(available AS varchar) || ' + held ' || CAST(held AS varchar)
    || ' + charged ' || CAST(charged AS varchar)
    || ' = ' || CAST(available + held + charged AS varchar) AS found
FROM accounts
WHERE available + held + charged <> granted
