-- Every top-up lies in its account's partition under its kind and reference, and so counts once.
SELECT account, record AS request,
  account || '#credits ' || kind || ':' || reference AS expected, period || ' ' || record AS found
FROM credits
WHERE period <> account || '#credits' OR record <> kind || ':' || reference
