-- Counters of open holds, one a row. Null for a service that the account never used.
SELECT account, counter.counter AS counter, counter.open AS open
FROM (SELECT account, unnest(counters) AS counter FROM {{of}}accounts)
