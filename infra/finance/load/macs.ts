import * as z from "zod";
import type { MacKey } from "../../../src/credits/record-mac.ts";
import { type Database, literal } from "./database.ts";
import { LEDGER_ATTRIBUTES } from "./images.ts";

/** With what the MACs of records are verified. */
export interface Macs {
  readonly keys: readonly MacKey[];
  /** Records that are dated before it may lack a MAC. Null if none may. */
  readonly sinceMs: number | null;
}

/** Hash functions take blocks of this many bytes (RFC 2104). */
const BLOCK_BYTES = 64;
const [INNER, OUTER] = [0x36, 0x5c];

/**
 * Creates `authenticity`: each record without the right MAC, with its `state`: `wrong`, `missing`,
 * `unknown` (key) or `old`. The text of a MAC is that of `canonicalText` in `src/credits/`, made here
 * from the columns, because the database hashes many at once.
 */
export async function nameAuthenticity(db: Database, { keys, sinceMs }: Macs): Promise<void> {
  const rows = keys.map(
    (key) => `(${literal(key.id)}, ${padded(key, INNER)}, ${padded(key, OUTER)})`,
  );
  await db.run(
    `CREATE OR REPLACE TABLE authenticity AS
     SELECT * FROM (
       SELECT account, coalesce(record, CAST(request AS VARCHAR)) AS id, split_part(mac, ':', 1) AS mac_key,
         coalesce(settled_at, created_at) AS dated_at,
         CASE kind
           WHEN 'usage' THEN 'a charge of ' || charge
           WHEN 'adjustment' THEN 'an adjustment of ' || credits || ' credits'
           ELSE 'a ' || kind || ' of ' || credits || ' credits'
         END AS amount,
         CASE
           WHEN mac IS NULL AND dated_ms < ${sinceMs ?? 0} THEN 'old'
           WHEN mac IS NULL THEN 'missing'
           WHEN k.key_id IS NULL THEN 'unknown'
           WHEN split_part(mac, ':', 2) = left(
             sha256(k.outer_pad || unhex(sha256(k.inner_pad || encode(${canonicalSql()})))), 32
           ) THEN 'right'
           ELSE 'wrong'
         END AS state
       FROM ledger l
       LEFT JOIN (VALUES ${rows.join(", ")}) k(key_id, inner_pad, outer_pad)
         ON k.key_id = split_part(l.mac, ':', 1)
     ) WHERE state <> 'right'`,
  );
}

const countSchema = z.object({ records: z.coerce.number() });

/** How many records lack a MAC and may. */
export async function countOld(db: Database): Promise<number> {
  const sql = "SELECT count(*) AS records FROM authenticity WHERE state = 'old'";
  const [count] = await db.rows(sql, countSchema);
  return count?.records ?? 0;
}

/** The key, exclusive-or'd with one byte, as a block. */
function padded({ hex }: MacKey, byte: number): string {
  const block = Buffer.alloc(BLOCK_BYTES);
  Buffer.from(hex, "hex").copy(block);
  const digits = [...block].map((one) => (one ^ byte).toString(16).padStart(2, "0")).join("");
  return `unhex('${digits}')`;
}

/** Columns that are called otherwise than their attributes. */
const COLUMNS: Readonly<Record<string, string>> = {
  account_period: "l.period",
  record_id: "coalesce(l.record, CAST(l.request AS VARCHAR))",
  key_id: "l.key_id",
  by: "l.entered_by",
};

function canonicalSql(): string {
  const parts = LEDGER_ATTRIBUTES.filter(({ name }) => name !== "mac")
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type }) => {
      const column = COLUMNS[name] ?? `l.${name}`;
      const text = type === "N" ? `CAST(${column} AS VARCHAR)` : column;
      return `CASE WHEN ${column} IS NULL THEN '' ELSE
        '${name} ${type} ' || strlen(${text}) || chr(10) || ${text} || chr(10) END`;
    });
  return `'ledger record 1' || chr(10) || ${parts.join("\n || ")}`;
}
