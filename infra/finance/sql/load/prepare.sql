-- A whole number in any of the forms in which exports hold one: {"N":"1"}, 1 or "1"; else null.
CREATE MACRO number_text(x) AS coalesce(x->>'$.N', x->>'$');
CREATE MACRO whole(x) AS CASE
  WHEN try_cast(number_text(x) AS DOUBLE) = try_cast(number_text(x) AS BIGINT)
  THEN try_cast(number_text(x) AS BIGINT)
END;
-- The first 48 bits of a UUIDv7 are milliseconds since 1970 (RFC 9562, section 5.7); null for no UUID.
CREATE MACRO uuid_time(id) AS
  epoch_ms(try_cast('0x' || left(replace(id, '-', ''), 12) AS BIGINT));
CREATE TABLE findings (
  check_name VARCHAR, account VARCHAR, request VARCHAR, expected VARCHAR, found VARCHAR
);
CREATE TABLE wordings (check_name VARCHAR PRIMARY KEY, name VARCHAR, says VARCHAR);
-- Emails of accounts, where the reader has given a list of them.
CREATE TABLE emails (account VARCHAR, email VARCHAR);
-- Text that a spreadsheet would take for a formula, made text again.
CREATE MACRO guard(x) AS
  CASE WHEN regexp_matches(x, '^[=+@\t\r-]') THEN '''' || x ELSE x END;
