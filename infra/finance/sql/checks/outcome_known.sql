-- Every request ended as one of the interface specification's outcomes.
-- Name: Outcome that the service does not know.
-- Says: Request {request} of account {account} ended as {found}. Possible is {expected}.
SELECT account, CAST(request AS varchar) AS request, 'an outcome of the specification' AS expected,
  outcome || ' with a charge of ' || CAST(charge AS varchar) AS found
FROM usage
WHERE outcome NOT IN (
  'OK', 'ABANDONED', 'SERVICE_UNSUPPORTED', 'URL_INVALID', 'API_KEY_INVALID', 'INSUFFICIENT_CREDITS',
  'MEDIA_NOT_FOUND', 'UPSTREAM_REJECTED', 'RATE_LIMITED', 'UPSTREAM_INVALID_RESPONSE',
  'UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT'
)
