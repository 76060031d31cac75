import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { athenaStatements } from "../../../infra/finance/athena/statements.ts";
import { CLOSING_MS, OPENING_MS } from "../../../infra/finance/generate/calendar.ts";
import {
  accountsNeeded,
  type Generated,
  generate,
} from "../../../infra/finance/generate/generate.ts";
import { type Database, literal } from "../../../infra/finance/load/database.ts";
import { findingSchema } from "../../../infra/finance/prove/findings.ts";
import { inOrder, makeFolder, manifestFolders, reconciled, withDatabase } from "./exports.ts";

/**
 * Athena's functions that DuckDB names differently, with their meaning. The statements use nothing
 * else that differs, so DuckDB can run them as they are.
 */
const BRIDGE = `
  CREATE MACRO from_base(digits, radix) AS CAST('0x' || digits AS BIGINT);
  CREATE MACRO from_unixtime(seconds) AS make_timestamp(CAST(round(seconds * 1000000) AS BIGINT));
  CREATE MACRO from_iso8601_timestamp(moment) AS CAST(moment AS TIMESTAMP);
  CREATE MACRO to_unixtime(moment) AS epoch(moment);
  CREATE MACRO date_format(moment, pattern) AS strftime(moment, pattern);
`;

let home: Awaited<ReturnType<typeof makeFolder>>;
let made: Generated;
beforeAll(async () => {
  home = await makeFolder();
  const to = join(home.folder, "month");
  made = await generate({ records: 1_800, accounts: accountsNeeded(2), seed: 6, faults: 2, to });
});
afterAll(() => home.remove());

async function locationsOf(folder: string) {
  const { accounts, ledger } = await manifestFolders(folder);
  return { accounts: join(accounts, "data/"), ledger: join(ledger, "data/") };
}

async function statementsOf(withOpening: boolean): Promise<string[]> {
  return athenaStatements({
    closing: await locationsOf(made.closing),
    opening: withOpening ? { ...(await locationsOf(made.opening)), atMs: OPENING_MS } : null,
    exportedMs: CLOSING_MS,
  });
}

/** An external table's definition, turned into a view over the same files with the same columns. */
async function externalTable(db: Database, definition: string): Promise<void> {
  const name = /TABLE IF NOT EXISTS (\w+)/.exec(definition)?.[1] ?? "";
  const location = /LOCATION '(.*)'/.exec(definition)?.[1] ?? "";
  const type = (/item (struct<[\s\S]*>)\n\)/.exec(definition)?.[1] ?? "")
    .replaceAll(/[\s`]/g, "")
    .replaceAll(
      /\b([snm]):(?=string|map|struct<(?!n:string|s:string))/g,
      (_, tag: string) => `${tag.toUpperCase()}:`,
    )
    .replaceAll("struct<", "STRUCT(")
    .replaceAll("map<string,", "MAP(VARCHAR,")
    .replaceAll(">", ")")
    .replaceAll(/(\w+):/g, '"$1" ')
    .replaceAll("string", "VARCHAR");
  const files = (await readdir(location)).map((file) => literal(join(location, file)));
  await db.run(
    `CREATE VIEW ${name} AS SELECT "Item" AS item FROM read_json([${files}],
     format = 'newline_delimited', columns = {"Item": ${literal(type)}})`,
  );
}

async function runInDuckDb(statements: readonly string[]) {
  return withDatabase(async (db) => {
    await db.run(BRIDGE);
    for (const statement of statements.slice(0, -1)) {
      if (statement.includes("CREATE EXTERNAL TABLE")) await externalTable(db, statement);
      else await db.run(statement);
    }
    const rows = await db.rows(statements.at(-1) ?? "", athenaFindingSchema);
    return rows.map(({ check_name: check, ...finding }) => ({ check, ...finding }));
  });
}

const athenaFindingSchema = findingSchema.omit({ check: true }).extend({ check_name: z.string() });

describe("Athena's form of the checks", () => {
  it("finds on one export what npm run reconcile finds", async () => {
    const found = await runInDuckDb(await statementsOf(false));
    const { findings } = await reconciled([made.closing]);
    expect(findings.length).toBeGreaterThan(38);
    expect(inOrder(found)).toEqual(inOrder(findings));
  }, 120_000);

  it("finds on two exports what npm run reconcile finds", async () => {
    const found = await runInDuckDb(await statementsOf(true));
    const { findings } = await reconciled([made.opening, made.closing]);
    expect(new Set(findings.map(({ check }) => check)).size).toBe(50);
    expect(inOrder(found)).toEqual(inOrder(findings));
  }, 120_000);

  it("needs no function of DuckDB's own", async () => {
    const used = new Set(
      [...(await statementsOf(true)).join("\n").matchAll(/\b([a-z_]+)\(/g)].map(([, name]) => name),
    );
    const trino = [
      ...["count", "sum", "min", "max", "coalesce", "substr", "replace", "floor"],
      ...["from_base", "from_unixtime", "date_format", "map_keys"],
      ...["from_iso8601_timestamp", "to_unixtime", "lag"],
    ];
    expect([...used].filter((name) => !trino.includes(name ?? ""))).toEqual([]);
  });
});
