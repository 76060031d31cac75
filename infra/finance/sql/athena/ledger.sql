-- Ledger records in columns; the first 48 bits of a UUIDv7 are milliseconds since 1970.
SELECT item.account_period.s AS period,
  item.kind.s AS kind,
  item.account.s AS account,
  item.nonce.s AS nonce,
  item.record_id.s AS record,
  item.record_id.s AS request,
  CASE WHEN item.kind.s = 'usage' THEN
    from_unixtime(from_base(substr(replace(item.record_id.s, '-', ''), 1, 12), 16) / 1000.0)
  END AS started_at,
  CASE WHEN item.kind.s = 'usage' THEN
    from_base(substr(replace(item.record_id.s, '-', ''), 1, 12), 16)
  END AS started_ms,
  item.key_id.s AS key_id,
  item.service.s AS service,
  item.outcome.s AS outcome,
  CAST(item.reserved.n AS bigint) AS reserved,
  CAST(item.item_count.n AS bigint) AS item_count,
  CAST(item.multiplier.n AS bigint) AS multiplier,
  CAST(item.charge.n AS bigint) AS charge,
  item.settled_by.s AS settled_by,
  item.settled_at.s AS settled_at,
  CAST(to_unixtime(from_iso8601_timestamp(item.settled_at.s)) * 1000 AS bigint) AS settled_ms,
  item.idempotency_key.s AS idempotency_key,
  item.request_hash.s AS request_hash,
  item.reference.s AS reference,
  item.refunds.s AS refunds,
  CAST(item.credits.n AS bigint) AS credits,
  item.reason.s AS reason,
  item."by".s AS entered_by,
  item.created_at.s AS created_at,
  CAST(to_unixtime(from_iso8601_timestamp(item.created_at.s)) * 1000 AS bigint) AS created_ms
FROM {{of}}ledger_export
