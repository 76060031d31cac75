import { type Answer, answer, problem } from "../../ops/answer.ts";
import { md5Of, sameDigest } from "../read/digest.ts";
import type { Table } from "../read/manifest.ts";
import type { Series } from "../read/series.ts";
import type { Database } from "./database.ts";
import { checkForm } from "./form.ts";
import { imageType } from "./images.ts";
import { insert, type Job, type Target } from "./insert.ts";
import { readSql } from "./sql.ts";

/** Told of each data file when it has been read. */
export type OnRead = (read: { readonly sizeBytes: number; readonly itemCount: number }) => void;

export const TABLES = ["accounts", "ledger"] as const;
const READERS = 2;

/**
 * Reads every data file into the database and verifies it: checksum, number of items, form of each.
 * Snapshot `i` becomes `accounts_<i>` and `ledger_<i>`, all windows `<table>_changes` (the last image
 * of an item, or its old one when it was deleted) and `<table>_old`.
 */
export async function load(db: Database, series: Series, onRead: OnRead): Promise<Answer<void>> {
  await db.run(readSql("load/prepare"));
  const targets = targetsOf(series);
  for (const table of TABLES) await createTables(db, table, series.snapshots.length);
  const jobs = targets
    .flatMap((target) => target.export.files.map((file) => ({ target, file })))
    .map((job, number) => ({ ...job, number }));
  const read = await readAll(db, jobs, onRead);
  return read.ok ? checkForm(db, jobs) : read;
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

async function createTables(db: Database, table: Table, snapshots: number): Promise<void> {
  const empty = (more: string) =>
    `WITH images AS (SELECT NULL::${imageType(table)} AS item LIMIT 0)
     ${readSql(`load/${table}`, { file: "0::INTEGER", more })}`;
  for (let at = 0; at < snapshots; at++) {
    await db.run(`CREATE TABLE ${table}_${at} AS ${empty("")}`);
  }
  const change = ", 0 AS window_number, true AS applied, 0::BIGINT AS written_us, true AS deleted";
  await db.run(`CREATE TABLE ${table}_changes AS ${empty(change)}`);
  await db.run(`CREATE TABLE ${table}_old AS ${empty(", 0 AS window_number")}`);
}

/** A few files at once, since one file is read by one thread; the first problem ends it. */
async function readAll(db: Database, jobs: readonly Job[], onRead: OnRead): Promise<Answer<void>> {
  const queue = [...jobs].sort((a, b) => b.file.sizeBytes - a.file.sizeBytes).values();
  let outcome: Answer<void> = answer(undefined);
  const reader = async () => {
    const connection = await db.connect();
    for (const job of queue) {
      if (!outcome.ok) return;
      const read = await readOne(connection, job);
      if (!read.ok) outcome = read;
      onRead(job.file);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  return outcome;
}

async function readOne(db: Pick<Database, "run">, job: Job): Promise<Answer<void>> {
  const { path, md5Checksum, itemCount, sizeBytes } = job.file;
  if (!sameDigest(await md5Of(path), md5Checksum)) {
    return problem(
      `${path}: its MD5 is not the one in the manifest: the file is truncated or altered. ` +
        "Copy it again.",
    );
  }
  if (sizeBytes === 0 && itemCount === 0) return answer(undefined);
  try {
    const lines = await insert(db, job);
    if (lines === itemCount) return answer(undefined);
    return problem(`${path}: holds ${lines} items, the manifest says ${itemCount}. Export again.`);
  } catch (error) {
    const cause = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return problem(`${path}: cannot be read (${cause}). Export again.`);
  }
}
