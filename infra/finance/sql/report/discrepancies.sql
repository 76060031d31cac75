-- Every credit that is not accounted for.
SELECT check_name AS "check", account, request, expected, found FROM findings ORDER BY ALL
