-- One image of an account, in columns.
SELECT
  item.account.S AS account,
  item.status.S AS status,
  whole(item.available) AS available,
  whole(item.held) AS held,
  whole(item.charged) AS charged,
  whole(item.granted) AS granted,
  item.holds.M AS holds,
  {{counters}} AS counters,
  item.pending.M AS pending,
  filename AS file{{more}}
FROM images
