-- Every usage record lies in its account's partition of the month in its request id.
SELECT account, CAST(request AS varchar) AS request,
  account || '#' || request_month AS expected, period AS found
FROM usage
WHERE period <> account || '#' || request_month
