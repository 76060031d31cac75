-- One image of a ledger item, in columns.
SELECT
  item.account_period.S AS period,
  CASE WHEN item.kind.S <> 'usage' THEN item.record_id.S END AS record,
  CASE WHEN item.kind.S = 'usage' THEN try_cast(item.record_id.S AS UUID) END AS request,
  CASE WHEN item.kind.S = 'usage' THEN uuid_time(item.record_id.S) END AS started_at,
  CASE WHEN item.kind.S = 'usage' THEN epoch_ms(uuid_time(item.record_id.S)) END AS started_ms,
  item.kind.S AS kind,
  item.account.S AS account,
  item.nonce.S AS nonce,
  item.key_id.S AS key_id,
  item.service.S AS service,
  item.outcome.S AS outcome,
  whole(item.reserved) AS reserved,
  whole(item.item_count) AS item_count,
  whole(item.multiplier) AS multiplier,
  whole(item.charge) AS charge,
  item.settled_by.S AS settled_by,
  item.settled_at.S AS settled_at,
  epoch_ms(try_cast(item.settled_at.S AS TIMESTAMP)) AS settled_ms,
  item.idempotency_key.S AS idempotency_key,
  item.request_hash.S AS request_hash,
  item.reference.S AS reference,
  whole(item.credits) AS credits,
  item.reason.S AS reason,
  item.created_at.S AS created_at,
  epoch_ms(try_cast(item.created_at.S AS TIMESTAMP)) AS created_ms,
  coalesce(
    epoch_ms(try_cast(item.settled_at.S AS TIMESTAMP)),
    epoch_ms(try_cast(item.created_at.S AS TIMESTAMP))
  ) AS dated_ms,
  item.mac.S AS mac,
  filename AS file{{more}}
FROM images
