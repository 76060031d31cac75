-- Every top-up has the account and the kind that claimed its reference.
-- Name: Top-up relabelled or given to another account.
-- Says: The top-up {request} of account {account} is {found}. Its reference was claimed as {expected}.
SELECT c.account, c.record AS request, n.kind || ' of account ' || n.holder AS expected,
  c.kind || ' of ' || CAST(c.credits AS varchar) || ' credits to account ' || c.account AS found
FROM credits c
JOIN claims n ON n.reference = c.reference
WHERE n.holder <> c.account OR n.kind <> c.kind
