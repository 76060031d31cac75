-- A record is the request's own, with its key and service, or the sweep's, without them and as
-- ABANDONED.
-- Name: Record that neither a request nor the sweep writes.
-- Says: The record of request {request} of account {account} is {found}. Possible is one {expected}.
SELECT account, CAST(request AS varchar) AS request,
  'by request with key and service, or by sweep as ABANDONED without them' AS expected,
  'by ' || settled_by || ' as ' || outcome || ', ' || coalesce(key_id, 'no key') || ', '
    || coalesce(service, 'no service') || ', with a charge of ' || CAST(charge AS varchar) AS found
FROM usage
WHERE (settled_by <> 'request' AND settled_by <> 'sweep')
  OR (settled_by = 'request' AND (key_id IS NULL OR service IS NULL OR outcome = 'ABANDONED'))
  OR (settled_by = 'sweep' AND (key_id IS NOT NULL OR service IS NOT NULL OR outcome <> 'ABANDONED'))
