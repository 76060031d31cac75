import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, literal } from "../load/database.ts";
import { readSql } from "../load/sql.ts";
import type { Report } from "./collect.ts";
import { renderPage } from "./page.ts";

/** The tables to write, each as CSV and as Parquet, and the order of their lines. */
const TABLES = {
  usage: "request_id, account",
  credits: "created_at_utc, account, record_id",
  balances: "account",
  discrepancies: `"check", account, request, expected, found`,
} as const;
type Name = keyof typeof TABLES;
const NAMES: readonly Name[] = ["usage", "credits", "balances", "discrepancies"];

/** Is told how many of all files are written. */
export type OnFile = (done: number, total: number) => void;

/** Writes all files into a folder, and replaces those of an earlier run. */
export async function writeFiles(db: Database, report: Report, folder: string, onFile: OnFile) {
  await mkdir(folder, { recursive: true });
  const total = NAMES.length * 2 + 2;
  const { hasEmails } = report;
  let done = 0;
  for (const table of NAMES) {
    onFile(done++, total);
    await writeParquet(db, { table, hasEmails, path: join(folder, `${table}.parquet`) });
    onFile(done++, total);
    await writeCsv(db, table, folder);
  }
  onFile(done++, total);
  await writeFile(join(folder, "summary.json"), `${JSON.stringify(report, null, 2)}\n`);
  onFile(done++, total);
  await writeFile(join(folder, "report.html"), await renderPage(report));
  onFile(done, total);
}

async function writeParquet(
  db: Database,
  { table, hasEmails, path }: { table: Name; hasEmails: boolean; path: string },
) {
  const plain = table === "balances" ? "FROM balances" : readSql(`report/${table}`);
  const query = hasEmails ? withEmails(plain, TABLES[table]) : plain;
  await db.run(`COPY (${query}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`);
}

/** The query's rows with the email beside each account. */
export function withEmails(query: string, order: string): string {
  return `SELECT t.account, guard(e.email) AS email, t.* EXCLUDE (account)
    FROM (${query}) t LEFT JOIN emails e ON e.account = t.account ORDER BY ${order}`;
}

/** Reads the Parquet file, so that slow sorting happens only once. */
async function writeCsv(db: Database, table: string, folder: string): Promise<void> {
  const parquet = literal(join(folder, `${table}.parquet`));
  const csv = literal(join(folder, `${table}.csv`));
  // Spreadsheets take text with such a beginning for a formula. A quote before it makes it text.
  const columns =
    table === "credits"
      ? "* REPLACE (guard(reference) AS reference, guard(reason) AS reason)"
      : "*";
  await db.run("SET preserve_insertion_order = true");
  await db.run(
    `COPY (SELECT ${columns} FROM read_parquet(${parquet})) TO ${csv} (FORMAT csv, HEADER)`,
  );
  await db.run("SET preserve_insertion_order = false");
}
