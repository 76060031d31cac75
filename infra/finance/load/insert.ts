import { availableParallelism } from "node:os";
import type { AnyExport } from "../read/manifest.ts";
import type { Database } from "./database.ts";
import { linesOf, selectImages } from "./images.ts";

/** Tables of the database that one export is read into. */
export interface Target {
  readonly export: AnyExport;
  /** `<table>_<index>` for a full export, `<table>` for a window, `keys` for the API keys. */
  readonly name: string;
  /** Null for a full export. */
  readonly window: { readonly number: number; readonly applied: boolean } | null;
}

/**
 * One statement reads compressed files one after the other, so there are as many statements as
 * cores.
 */
const READERS = availableParallelism();

/**
 * Reads an export's lines into its tables.
 * @throws Error of DuckDB, which names the file, when one holds no compressed JSON lines
 */
export async function insert(db: Database, target: Target): Promise<void> {
  const paths = target.export.files
    .filter(({ sizeBytes }) => sizeBytes > 0)
    .map(({ path }) => path);
  if (paths.length === 0) return;
  if (target.window !== null) return insertWindow(db, { ...target, window: target.window }, paths);
  const { table } = target.export;
  const columns = selectImages(table, "");
  await db.runAtOnce(
    share(paths).map(
      (some) =>
        `INSERT INTO ${target.name}
         WITH images AS (SELECT "Item" AS item, filename FROM ${linesOf(some, table, "full")})
         ${columns}`,
    ),
  );
}

/** Distributes files over the readers. Exports make files of similar size. */
function share(paths: readonly string[]): string[][] {
  const shares = Array.from({ length: READERS }, (_, reader) =>
    paths.filter((_path, at) => at % READERS === reader),
  );
  return shares.filter((some) => some.length > 0);
}

type WindowTarget = Target & { readonly window: NonNullable<Target["window"]> };

/** Reads each line once and uses it twice: for the new image and for the old one. */
async function insertWindow(db: Database, target: WindowTarget, paths: string[]): Promise<void> {
  const { table } = target.export;
  const { number, applied } = target.window;
  const columns = (more: string) => selectImages(table, more);
  await db.run(
    `CREATE OR REPLACE TEMP TABLE stage AS
     SELECT coalesce(whole("Metadata"."WriteTimestampMicros"), 0) AS written_us,
       "OldImage" AS old, "NewImage" AS new, filename
     FROM ${linesOf(paths, table, "incremental")}`,
  );
  await db.run(
    `INSERT INTO ${table}_changes
     WITH images AS (
       SELECT coalesce(new, old) AS item, filename, written_us, new IS NULL AS deleted FROM stage
     )
     ${columns(`, ${number}, ${applied}, written_us, deleted`)}`,
  );
  await db.run(
    `INSERT INTO ${table}_old
     WITH images AS (SELECT old AS item, filename FROM stage WHERE old IS NOT NULL)
     ${columns(`, ${number}`)}`,
  );
  await db.run("DROP TABLE stage");
}
