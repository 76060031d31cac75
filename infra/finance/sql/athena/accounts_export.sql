-- The accounts' full export, as it lies in S3. OpenX matches names in any case.
CREATE EXTERNAL TABLE IF NOT EXISTS {{of}}accounts_export (
  item struct<
    account:struct<s:string>,
    email_claim:struct<s:string>,
    created_at:struct<s:string>,
    movements:struct<n:string>,
    available:struct<n:string>,
    held:struct<n:string>,
    charged:struct<n:string>,
    granted:struct<n:string>,
    holds:struct<m:map<string,struct<m:struct<
      n:struct<n:string>,
      exp:struct<n:string>,
      nonce:struct<s:string>,
      s:struct<s:string>
    >>>>,
    {{counters}},
    pending:struct<m:map<string,struct<m:struct<
      n:struct<n:string>,
      nonce:struct<s:string>
    >>>>
  >
)
ROW FORMAT SERDE 'org.openx.data.jsonserde.JsonSerDe'
LOCATION '{{location}}'
