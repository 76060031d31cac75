-- A successful request returned 1 to 20 items, any other 0 to 20.
-- Name: Impossible number of items.
-- Says: Request {request} of account {account} returned {found}. Possible are {expected}.
SELECT account, CAST(request AS varchar) AS request,
  CASE outcome WHEN 'OK' THEN '1 to 20 items' ELSE '0 to 20 items' END AS expected,
  CAST(item_count AS varchar) || ' items' AS found
FROM usage
WHERE item_count < 0 OR item_count > 20 OR (outcome = 'OK' AND item_count = 0)
