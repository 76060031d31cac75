-- One image of an item of the keys' table, in columns: an API key, or a claim of a name.
SELECT
  item.key_id.S AS key_id,
  item.account.S AS account,
  item.status.S AS status,
  item.created_at.S AS created_at,
  epoch_ms(try_cast(item.created_at.S AS TIMESTAMP)) AS created_ms,
  item.changed_at.S AS changed_at,
  epoch_ms(try_cast(item.changed_at.S AS TIMESTAMP)) AS changed_ms,
  item.expires_at.S AS expires_at,
  epoch_ms(try_cast(item.expires_at.S AS TIMESTAMP)) AS expires_ms,
  item.holder.S AS holder,
  item.kind.S AS kind,
  filename AS file{{more}}
FROM images
