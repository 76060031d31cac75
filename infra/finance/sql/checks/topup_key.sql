-- Every top-up lies in its account's partition under its kind and reference, and so counts once.
-- Name: Top-up filed under another kind or reference.
-- Says: The top-up {request} of account {account} is filed under {found}. By what it says it belongs to {expected}.
SELECT account, record AS request,
  account || '#credits ' || kind || ':' || reference AS expected, period || ' ' || record AS found
FROM credits
WHERE period <> account || '#credits' OR record <> kind || ':' || reference
