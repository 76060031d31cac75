import type { Export, LocalFile } from "../read/manifest.ts";
import type { Database } from "./database.ts";
import { linesOf } from "./images.ts";
import { readSql } from "./sql.ts";

/** A table of the database that one export is read into. */
export interface Target {
  readonly export: Export;
  /** `<table>_<index>` for a full export, `<table>` for a window. */
  readonly name: string;
  /** Null for a full export. */
  readonly window: { readonly number: number; readonly applied: boolean } | null;
}

/** One data file to read. */
export interface Job {
  readonly target: Target;
  readonly file: LocalFile;
  /** Place in the list of all files, stored with each row. */
  readonly number: number;
}

/**
 * Reads a file's lines into the target's tables.
 * @returns how many lines the file holds
 * @throws Error of DuckDB when it is no JSON lines, compressed
 */
export async function insert(db: Pick<Database, "run">, job: Job): Promise<number> {
  const { target, file, number } = job;
  if (target.window !== null) return insertWindow(db, job, target.window);
  const { table } = target.export;
  return db.run(
    `INSERT INTO ${target.name}
     WITH images AS (SELECT "Item" AS item FROM ${linesOf(file.path, table, "full")})
     ${readSql(`load/${table}`, { file: String(number), more: "" })}`,
  );
}

/** Each line is read once and used twice: for what it changed to, and for what was before. */
async function insertWindow(
  db: Pick<Database, "run">,
  { target, file, number }: Job,
  window: NonNullable<Target["window"]>,
): Promise<number> {
  const { table } = target.export;
  const stage = `stage_${number}`;
  const columns = (more: string) => readSql(`load/${table}`, { file: String(number), more });
  await db.run(
    `CREATE TEMP TABLE ${stage} AS
     SELECT coalesce(whole("Metadata"."WriteTimestampMicros"), 0) AS written_us,
       "OldImage" AS old, "NewImage" AS new
     FROM ${linesOf(file.path, table, "incremental")}`,
  );
  const lines = await db.run(
    `INSERT INTO ${table}_changes
     WITH images AS (
       SELECT coalesce(new, old) AS item, written_us, new IS NULL AS deleted FROM ${stage}
     )
     ${columns(`, ${window.number}, ${window.applied}, written_us, deleted`)}`,
  );
  await db.run(
    `INSERT INTO ${table}_old
     WITH images AS (SELECT old AS item FROM ${stage} WHERE old IS NOT NULL)
     ${columns(`, ${window.number}`)}`,
  );
  await db.run(`DROP TABLE ${stage}`);
  return lines;
}
