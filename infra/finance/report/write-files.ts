import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, literal } from "../load/database.ts";
import { readSql } from "../load/sql.ts";
import type { Report } from "./collect.ts";
import { renderPage } from "./page.ts";

/** The tables to write, each as CSV and as Parquet. */
const TABLES = ["usage", "credits", "balances", "discrepancies"] as const;

/** Is told how many of all files are written. */
export type OnFile = (done: number, total: number) => void;

/** Writes all files into a folder, and replaces those of an earlier run. */
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
