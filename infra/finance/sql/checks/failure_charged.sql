-- A request that failed is charged nothing.
SELECT account, CAST(request AS varchar) AS request,
  'charge 0 for ' || outcome AS expected, 'charge ' || CAST(charge AS varchar) AS found
FROM usage
WHERE outcome <> 'OK' AND charge <> 0
