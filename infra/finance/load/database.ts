import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import * as z from "zod";

/** Memory limit of DuckDB; beyond it, it works on disk. Node and its readers need more on top. */
const MEMORY_LIMIT = "1200MB";

const LOOK_EVERY_MS = 200;

/** A DuckDB database in its own folder, which is removed with it. */
export interface Database {
  /** Returns how many rows were written. */
  readonly run: (sql: string) => Promise<number>;
  /** Runs statements at the same time, each on a connection of its own. */
  readonly runAtOnce: (statements: readonly string[]) => Promise<void>;
  /** Reads a small result completely. 64-bit numbers arrive as strings, so coerce them. */
  readonly rows: <T>(sql: string, schema: z.ZodType<T>) => Promise<T[]>;
  /** Reports the finished share of the running statement, from 0 to 1, until the work ends. */
  readonly watch: <T>(work: Promise<T>, onShare: (share: number) => void) => Promise<T>;
  readonly close: () => Promise<void>;
}

export async function openDatabase(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), "reconcile-"));
  const instance = await DuckDBInstance.create(join(folder, "work.duckdb"), {
    memory_limit: MEMORY_LIMIT,
    threads: String(availableParallelism()),
    preserve_insertion_order: "false",
    temp_directory: join(folder, "spill"),
    // Everything it needs is built in. It must never search a network for more.
    autoinstall_known_extensions: "false",
  });
  const connection = await instance.connect();
  await connection.run("SET enable_progress_bar = true; SET enable_progress_bar_print = false");
  const rows = async <T>(sql: string, schema: z.ZodType<T>): Promise<T[]> => {
    const reader = await connection.runAndReadAll(sql);
    return z.array(schema).parse(reader.getRowObjectsJson());
  };
  const close = async () => {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  };
  const runAtOnce = async ([first, ...others]: readonly string[]) => {
    const side = async (sql: string) => {
      const beside = await instance.connect();
      await beside.run(sql).finally(() => beside.closeSync());
    };
    const own = first === undefined ? [] : [connection.run(first)];
    await Promise.all([...own, ...others.map(side)]);
  };
  return {
    runAtOnce,
    run: async (sql) => (await connection.run(sql)).rowsChanged,
    rows,
    watch: (work, onShare) => watch(connection, work, onShare),
    close,
  };
}

async function watch<T>(
  connection: DuckDBConnection,
  work: Promise<T>,
  onShare: (share: number) => void,
): Promise<T> {
  // Negative while DuckDB knows nothing about the statement.
  const look = () => onShare(Math.max(0, connection.progress.percentage) / 100);
  const timer = setInterval(look, LOOK_EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** A value as a SQL string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
