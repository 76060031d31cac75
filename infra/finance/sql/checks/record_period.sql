-- Every usage record lies in its account's partition of the month in its request id.
-- Name: Record filed in the wrong place.
-- Says: The record of request {request} of account {account} is filed under {found}. It belongs to {expected}.
SELECT account, CAST(request AS varchar) AS request,
  account || '#' || request_month AS expected, period AS found
FROM usage
WHERE period <> account || '#' || request_month
