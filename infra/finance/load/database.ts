import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import * as z from "zod";

/** What DuckDB may keep in memory; beyond that it works on disk. Node and its readers come on top. */
const MEMORY_LIMIT = "1400MB";

/** A DuckDB database in a folder of its own that goes with it. */
export interface Database {
  /** @returns how many rows were written. */
  readonly run: (sql: string) => Promise<number>;
  /** Reads a whole, small result; 64-bit numbers arrive as strings, so coerce them. */
  readonly rows: <T>(sql: string, schema: z.ZodType<T>) => Promise<T[]>;
  /** Another connection to the same database, for work at the same time. */
  readonly connect: () => Promise<Pick<Database, "run">>;
  readonly close: () => Promise<void>;
}

export async function openDatabase(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), "reconcile-"));
  const instance = await DuckDBInstance.create(join(folder, "work.duckdb"), {
    memory_limit: MEMORY_LIMIT,
    threads: String(availableParallelism()),
    preserve_insertion_order: "false",
    temp_directory: join(folder, "spill"),
    // Everything it needs is built in: it must never look for more on a network.
    autoinstall_known_extensions: "false",
  });
  const connection = await instance.connect();
  const rows = async <T>(sql: string, schema: z.ZodType<T>): Promise<T[]> => {
    const reader = await connection.runAndReadAll(sql);
    return z.array(schema).parse(reader.getRowObjectsJson());
  };
  const close = async () => {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    run: runner(connection),
    rows,
    connect: async () => ({ run: runner(await instance.connect()) }),
    close,
  };
}

function runner(connection: DuckDBConnection): Database["run"] {
  return async (sql) => (await connection.run(sql)).rowsChanged;
}

/** A value as a SQL string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
