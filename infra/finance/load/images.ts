import type { AnyTable } from "../read/manifest.ts";
import { COUNTERS } from "./counters.ts";
import { literal } from "./database.ts";
import { readSql } from "./sql.ts";

type Attributes = Readonly<Record<AnyTable, readonly string[]>>;

/**
 * The attributes that are read, as in `src/credits/schema.md`; others are ignored. Text is always
 * `{"S":…}`. Numbers stay JSON, because exports write them in three forms.
 */
const TEXTS: Attributes = {
  accounts: ["account", "status", "email_claim", "created_at"],
  ledger: [
    ...["account_period", "record_id", "kind", "account", "nonce"],
    ...["key_id", "service", "outcome", "settled_by", "settled_at"],
    ...["idempotency_key", "request_hash"],
    ...["reference", "refunds", "reason", "by", "created_at", "mac"],
  ],
  "api-keys": [
    ...["key_id", "account", "status", "created_at", "changed_at", "expires_at"],
    ...["holder", "kind"],
  ],
};
const NUMBERS: Attributes = {
  accounts: ["available", "held", "charged", "granted", "movements", ...COUNTERS],
  ledger: ["reserved", "item_count", "multiplier", "charge", "credits"],
  "api-keys": [],
};
const MAPS: Attributes = { accounts: ["holds", "pending"], ledger: [], "api-keys": [] };

/** Every attribute of a ledger record, with its type. */
export const LEDGER_ATTRIBUTES: readonly { readonly name: string; readonly type: "S" | "N" }[] = [
  ...TEXTS.ledger.map((name) => ({ name, type: "S" as const })),
  ...NUMBERS.ledger.map((name) => ({ name, type: "N" as const })),
];

const ENTRY = "STRUCT(M STRUCT(n JSON, exp JSON, nonce STRUCT(S VARCHAR), s STRUCT(S VARCHAR)))";

/** DuckDB's type of one image of an item of the table. */
export function imageType(table: AnyTable): string {
  const fields = [
    ...TEXTS[table].map((name) => `"${name}" STRUCT(S VARCHAR)`),
    ...NUMBERS[table].map((name) => `${name} JSON`),
    ...MAPS[table].map((name) => `${name} STRUCT(M MAP(VARCHAR, ${ENTRY}))`),
  ];
  return `STRUCT(${fields.join(", ")})`;
}

/** The SELECT of the columns of images. @param more further columns, each after a comma */
export function selectImages(table: AnyTable, more: string): string {
  const counters = COUNTERS.map((name) => `{counter: '${name}', open: whole(item.${name})}`);
  return readSql(`load/${table}`, { more, counters: `[${counters.join(", ")}]` });
}

/** The source of a SELECT over the lines of data files, of full or incremental exports. */
export function linesOf(
  paths: readonly string[],
  table: AnyTable,
  kind: "full" | "incremental",
): string {
  const image = literal(imageType(table));
  const columns =
    kind === "full"
      ? `"Item": ${image}`
      : `"Metadata": 'STRUCT("WriteTimestampMicros" JSON)', "OldImage": ${image}, "NewImage": ${image}`;
  // Without `records`, DuckDB detects the form from the lines. Holds take it long, because ids are
  // their names.
  return (
    `read_json([${paths.map(literal).join(", ")}], format = 'newline_delimited', ` +
    `compression = 'gzip', records = true, filename = true, columns = {${columns}})`
  );
}
