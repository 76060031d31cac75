-- An account has used each service that its records since an earlier export name.
-- Name: Charge for a service that the account never used.
-- Says: Request {request} of account {account} has {found}. It can be of {expected}.
SELECT u.account, CAST(u.request AS varchar) AS request, 'a service that the account has used' AS expected,
  'a charge of ' || CAST(u.charge AS varchar) || ' for ' || u.service || ', which it never used' AS found
FROM usage u
CROSS JOIN opening_time t
JOIN (SELECT account, count(open) AS used FROM counters GROUP BY account) known ON known.account = u.account
LEFT JOIN counters c ON c.account = u.account
  AND c.counter = 'open_' || replace(u.service, '-', '_') AND c.open IS NOT NULL
WHERE u.service IS NOT NULL AND known.used > 0 AND c.account IS NULL AND u.settled_ms > t.opened_ms
