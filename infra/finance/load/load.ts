import { type Answer, answer, problem } from "../../terminal/answer.ts";
import type { AnyTable, KeysExport } from "../read/manifest.ts";
import type { Series } from "../read/series.ts";
import { findDamage } from "./damage.ts";
import type { Database } from "./database.ts";
import { checkCounts, checkForm } from "./form.ts";
import { imageType, selectImages } from "./images.ts";
import { insert, type Target } from "./insert.ts";
import { readSql } from "./sql.ts";

/** Is told how many bytes of all have been read. */
export type OnRead = (readBytes: number, totalBytes: number) => void;

/** What is read: a series of exports, and the API keys where they were exported too. */
export interface Loadable {
  readonly series: Series;
  readonly keys: KeysExport | null;
}

const TABLES = ["accounts", "ledger"] as const;

/**
 * Reads every data file into the database, and refuses wrong numbers of items and wrong items.
 * Snapshot `i` becomes `accounts_<i>` and `ledger_<i>`. All windows become `<table>_changes` (the
 * last image of an item, or its old one if it was deleted) and `<table>_old`. The keys become `keys`.
 */
export async function load(
  db: Database,
  { series, keys }: Loadable,
  onRead: OnRead,
): Promise<Answer<void>> {
  await db.run(readSql("load/prepare"));
  for (const table of TABLES) await createTables(db, table, series.snapshots.length);
  await db.run(`CREATE TABLE keys AS ${emptyImages("api-keys", "")}`);
  const targets = [...targetsOf(series), ...keysTarget(keys)];
  const totalBytes = targets.reduce((sum, target) => sum + sizeOf(target), 0);
  let readBytes = 0;
  for (const target of targets) {
    const sizeBytes = sizeOf(target);
    const read = await db.watch(insertOrExplain(db, target), (share) =>
      onRead(readBytes + share * sizeBytes, totalBytes),
    );
    if (!read.ok) return read;
    readBytes += sizeBytes;
    onRead(readBytes, totalBytes);
  }
  const counted = await checkCounts(db, targets);
  return counted.ok ? checkForm(db, targets) : counted;
}

function targetsOf({ snapshots, windows }: Series): Target[] {
  return TABLES.flatMap((table) => [
    ...snapshots.map((one, at) => ({ export: one[table], name: `${table}_${at}`, window: null })),
    ...windows.map((one, number) => ({
      export: one[table],
      name: table,
      window: { number, applied: one.applied },
    })),
  ]);
}

function keysTarget(keys: KeysExport | null): Target[] {
  return keys === null ? [] : [{ export: keys, name: "keys", window: null }];
}

function sizeOf(target: Target): number {
  return target.export.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function emptyImages(table: AnyTable, more: string): string {
  return `WITH images AS (SELECT NULL::${imageType(table)} AS item, '' AS filename LIMIT 0)
     ${selectImages(table, more)}`;
}

async function createTables(db: Database, table: AnyTable, snapshots: number): Promise<void> {
  for (let at = 0; at < snapshots; at++) {
    await db.run(`CREATE TABLE ${table}_${at} AS ${emptyImages(table, "")}`);
  }
  const change = ", 0 AS window_number, true AS applied, 0::BIGINT AS written_us, true AS deleted";
  await db.run(`CREATE TABLE ${table}_changes AS ${emptyImages(table, change)}`);
  await db.run(`CREATE TABLE ${table}_old AS ${emptyImages(table, ", 0 AS window_number")}`);
}

/** The database's own words help nobody: the file is read again for the place of the damage. */
async function insertOrExplain(db: Database, target: Target): Promise<Answer<void>> {
  try {
    return answer(await insert(db, target));
  } catch {
    const damage = await findDamage(target.export.files);
    return problem(
      damage === null
        ? `${target.export.folder}: a data file cannot be read, although each of its lines can. ` +
            "Is there room on the disk? Else copy the export again."
        : `${damage}. Copy the export again; if that does not help, export again.`,
    );
  }
}
