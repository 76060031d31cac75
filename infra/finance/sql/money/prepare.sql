-- Minor units as decimal text, such as -12.05.
CREATE OR REPLACE MACRO minor_digits(minor, places) AS
  lpad(CAST(abs(minor) AS VARCHAR),
    CAST(greatest(places + 1, length(CAST(abs(minor) AS VARCHAR))) AS INTEGER), '0');
CREATE OR REPLACE MACRO with_point(digits, places) AS
  left(digits, length(digits) - places) || CASE WHEN places = 0 THEN '' ELSE '.' || right(digits, places) END;
CREATE OR REPLACE MACRO decimal_text(minor, places) AS
  CASE WHEN minor < 0 THEN '-' ELSE '' END || with_point(minor_digits(minor, places), places);
-- The part of an amount that falls to the first `credits` of `size` credits. The last one takes the rest.
CREATE OR REPLACE MACRO share_of(amount, credits, size) AS
  CAST((CAST(amount AS HUGEINT) * credits) // size AS BIGINT);
CREATE OR REPLACE TABLE money_accounts AS
  SELECT account, CAST(row_number() OVER (ORDER BY account) AS INTEGER) AS no FROM accounts;
CREATE OR REPLACE TABLE money_prices (
  price INTEGER, name VARCHAR, credits INTEGER, net BIGINT, tax BIGINT, currency VARCHAR, places INTEGER,
  from_ms BIGINT, until_ms BIGINT, beginning VARCHAR, reference VARCHAR, several BOOLEAN
);
CREATE OR REPLACE TABLE money_ledger_accounts (
  role VARCHAR, service VARCHAR, number VARCHAR, name VARCHAR
);
