import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import * as z from "zod";
import { connectionSchema } from "../tables/tables.ts";
import { StackError } from "./stack-error.ts";

/** What a running stack publishes: the tables, for `ops --local`, its address and its process. */
const stackFileSchema = connectionSchema.extend({ url: z.url(), pid: z.int() });
export type StackFile = z.infer<typeof stackFileSchema>;

/** The folder of a stack that keeps its state. Only one stack can hold it at a time. */
export interface StateFolder {
  /** For the tables. */
  readonly tablesFolder: string;
  readonly publish: (file: StackFile) => Promise<void>;
  /** Withdraws what was published and releases the folder. */
  readonly release: () => Promise<void>;
}

/**
 * Locks a folder for this process. The system releases the lock with the process, so a killed stack
 * does not block the next one.
 * @param fresh deletes what earlier stacks kept there
 * @throws StackError when a running stack holds the folder
 */
export async function holdStateFolder(folder: string, fresh: boolean): Promise<StateFolder> {
  await mkdir(folder, { recursive: true });
  const lock = new ClassicLevel(join(folder, "lock"));
  try {
    await lock.open();
  } catch (error) {
    if (!isLocked(error)) throw error;
    throw new StackError(await describeHolder(folder));
  }
  const tablesFolder = join(folder, "dynamodb");
  const stackFile = join(folder, "stack.json");
  await rm(stackFile, { force: true });
  if (fresh) await rm(tablesFolder, { recursive: true, force: true });
  return {
    tablesFolder,
    publish: (file) => writeJson(stackFile, file),
    release: async () => {
      await rm(stackFile, { force: true });
      await lock.close();
    },
  };
}

async function describeHolder(folder: string): Promise<string> {
  const file = stackFileSchema.safeParse(await readJson(join(folder, "stack.json")));
  const where = file.success ? ` on ${file.data.url} (process ${file.data.pid})` : "";
  return `Another \`npm run dev\` is running${where}; stop it first.`;
}

function isLocked(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "LEVEL_LOCKED";
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return null;
  }
}

/** Readers see the old file or the new one, never half of a file. */
async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`);
  await rename(`${path}.new`, path);
}
