-- Each counter of an account is the number of its open holds of that service.
-- Name: Wrong count of open requests.
-- Says: Account {account} counts {found}; its open requests give {expected}.
SELECT c.account, NULL AS request,
  c.counter || ' ' || CAST(coalesce(h.holds, 0) AS varchar) AS expected,
  c.counter || ' ' || CAST(coalesce(c.open, 0) AS varchar) AS found
FROM counters c
LEFT JOIN (
  SELECT account, 'open_' || replace(service, '-', '_') AS counter, count(*) AS holds
  FROM holds
  WHERE service IS NOT NULL
  GROUP BY 1, 2
) h ON h.account = c.account AND h.counter = c.counter
WHERE coalesce(c.open, 0) <> coalesce(h.holds, 0)
