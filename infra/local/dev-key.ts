import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { fingerprint } from "../../src/keys/api-key.ts";
import { lookUpKey } from "../../src/keys/lookup.ts";
import { showAccount } from "../ops/accounts.ts";
import { type Connection, openTables } from "../tables/tables.ts";

/** The most that the printed `curl` can reserve. */
const CREDITS_NEEDED = 8;

const devKeySchema = z.object({ account: z.string(), key: z.string() });

/** The account and the key that `npm run dev` prints. */
export type DevKey = z.infer<typeof devKeySchema>;

export interface DevKeyOptions {
  readonly connection: Connection;
  /** The file of the key. The tables hold only its hash. */
  readonly folder: string;
  /** Creates an account with a key. */
  readonly seed: (connection: Connection) => Promise<DevKey>;
}

/** The key of the last run while it is active and its account can pay; otherwise a new one. */
export async function workingDevKey({ connection, folder, seed }: DevKeyOptions): Promise<DevKey> {
  const path = join(folder, "dev-key.json");
  const before = await read(path);
  if (before !== null && (await isUsable(connection, before))) return before;
  const made = await seed(connection);
  // Readable by its owner only; renamed, so that nobody reads half of it.
  await writeFile(`${path}.new`, JSON.stringify(made), { mode: 0o600 });
  await rename(`${path}.new`, path);
  return made;
}

async function isUsable(connection: Connection, { account, key }: DevKey): Promise<boolean> {
  const tables = openTables(connection);
  try {
    const print = await fingerprint(key);
    const found = await lookUpKey(tables.dynamo, tables.apiKeys, print, Date.now);
    const payer = await showAccount(tables, account);
    return (
      found.outcome === "active" &&
      payer.ok &&
      payer.value.status === "active" &&
      payer.value.available >= CREDITS_NEEDED
    );
  } finally {
    tables.client.destroy();
  }
}

async function read(path: string): Promise<DevKey | null> {
  try {
    return devKeySchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return null;
  }
}
