-- The ledger's full export, as it lies in S3. OpenX matches names in any case.
CREATE EXTERNAL TABLE IF NOT EXISTS {{of}}ledger_export (
  item struct<
    account_period:struct<s:string>,
    record_id:struct<s:string>,
    kind:struct<s:string>,
    account:struct<s:string>,
    nonce:struct<s:string>,
    key_id:struct<s:string>,
    service:struct<s:string>,
    outcome:struct<s:string>,
    reserved:struct<n:string>,
    item_count:struct<n:string>,
    multiplier:struct<n:string>,
    charge:struct<n:string>,
    settled_by:struct<s:string>,
    settled_at:struct<s:string>,
    idempotency_key:struct<s:string>,
    request_hash:struct<s:string>,
    reference:struct<s:string>,
    refunds:struct<s:string>,
    credits:struct<n:string>,
    reason:struct<s:string>,
    `by`:struct<s:string>,
    created_at:struct<s:string>
  >
)
ROW FORMAT SERDE 'org.openx.data.jsonserde.JsonSerDe'
LOCATION '{{location}}'
