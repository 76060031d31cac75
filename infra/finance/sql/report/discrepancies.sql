-- Every credit that is not accounted for, with a sentence. Values of an export are put in last, and
-- each in turn, so that none of them is taken for a place of another.
SELECT f.check_name AS "check", w.name, f.account, f.request, f.expected, f.found,
  array_to_string(list_transform(
    regexp_extract_all(w.says, '\{\w+\}|[^{}]+'),
    lambda part: CASE part
      WHEN '{account}' THEN f.account
      WHEN '{request}' THEN coalesce(f.request, 'none')
      WHEN '{expected}' THEN f.expected
      WHEN '{found}' THEN f.found
      ELSE part
    END
  ), '') AS sentence
FROM findings f
JOIN wordings w ON w.check_name = f.check_name
ORDER BY ALL
