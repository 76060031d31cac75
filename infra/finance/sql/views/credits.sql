-- Grants, purchases and adjustments; `content` is all that a record says, in one line.
SELECT account, period, record, kind, reference, refunds, credits, reason, nonce, created_at,
  created_ms, entered_by,
  kind || ' ' || reference || ' of ' || CAST(credits AS varchar) || ', nonce ' || nonce || ', at '
    || created_at || coalesce(', refunds ' || refunds, '') || coalesce(': ' || reason, '')
    || coalesce(', by ' || entered_by, '') AS content
FROM {{of}}ledger
WHERE kind <> 'usage'
