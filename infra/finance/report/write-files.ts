import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, literal } from "../load/database.ts";
import { readSql } from "../load/sql.ts";
import type { Report } from "./collect.ts";
import { renderPage } from "./page.ts";

/** The tables that are written, each as CSV and as Parquet. */
const TABLES = ["usage", "credits", "balances", "discrepancies"] as const;

/** Told how many of so many files are written. */
export type OnFile = (done: number, total: number) => void;

/** Writes everything into a folder, over what an earlier run left there. */
export async function writeFiles(db: Database, report: Report, folder: string, onFile: OnFile) {
  await mkdir(folder, { recursive: true });
  const total = TABLES.length * 2 + 2;
  let done = 0;
  for (const table of TABLES) {
    onFile(done++, total);
    await writeParquet(db, table, join(folder, `${table}.parquet`));
    onFile(done++, total);
    await writeCsv(db, table, folder);
  }
  onFile(done++, total);
  await writeFile(join(folder, "summary.json"), `${JSON.stringify(report, null, 2)}\n`);
  onFile(done++, total);
  await writeFile(join(folder, "report.html"), await renderPage(report));
  onFile(done, total);
}

async function writeParquet(db: Database, table: (typeof TABLES)[number], path: string) {
  const query = table === "balances" ? "FROM balances" : readSql(`report/${table}`);
  await db.run(`COPY (${query}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`);
}

/** From the Parquet file, so that what is long to sort is sorted once. */
async function writeCsv(db: Database, table: string, folder: string): Promise<void> {
  const parquet = literal(join(folder, `${table}.parquet`));
  const csv = literal(join(folder, `${table}.csv`));
  // Spreadsheets take text that begins so for a formula: a quote before it makes it text again.
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
