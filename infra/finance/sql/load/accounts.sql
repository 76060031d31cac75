-- One image of an account, in columns.
SELECT
  item.account.S AS account,
  item.status.S AS status,
  item.email_claim.S AS email_claim,
  item.created_at.S AS created_at,
  epoch_ms(try_cast(item.created_at.S AS TIMESTAMP)) AS created_ms,
  whole(item.movements) AS movements,
  whole(item.available) AS available,
  whole(item.held) AS held,
  whole(item.charged) AS charged,
  whole(item.granted) AS granted,
  item.holds.M AS holds,
  {{counters}} AS counters,
  item.pending.M AS pending,
  filename AS file{{more}}
FROM images
