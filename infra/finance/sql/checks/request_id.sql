-- Every request id is a UUIDv7, as the service makes them.
-- Name: Request number that the service does not give.
-- Says: Request {request} of account {account} has a number of {found}. The service gives {expected}.
SELECT account, CAST(request AS varchar) AS request, 'a UUID of version 7' AS expected,
  'version ' || substr(CAST(request AS varchar), 15, 1) AS found
FROM usage
WHERE substr(CAST(request AS varchar), 15, 1) <> '7'
