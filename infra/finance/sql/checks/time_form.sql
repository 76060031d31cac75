-- Every record's time has the form in which the service writes times.
-- Name: Date in a foreign form.
-- Says: The record {request} of account {account} is {found}. The service writes {expected}.
SELECT account, id AS request, 'a time as in 2026-10-31T12:00:00.000Z' AS expected,
  amount || ' dated ' || dated_at AS found
FROM records
WHERE dated_at NOT LIKE '____-__-__T__:__:__.___Z'
