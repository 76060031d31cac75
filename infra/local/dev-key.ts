import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { fingerprint } from "../../src/keys/api-key.ts";
import { lookUpKey } from "../../src/keys/lookup.ts";
import { showAccount } from "../ops/accounts.ts";
import { moveCredits } from "../ops/movement.ts";
import { type Connection, openTables, type Tables } from "../tables/tables.ts";
import { take } from "../terminal/answer.ts";

/** What a new development account can spend. */
const CREDITS = 1_000;
/** The most that the printed `curl` can reserve. */
const CREDITS_NEEDED = 8;

const accountSchema = z.object({ account: z.string(), key: z.string() });
const devKeySchema = accountSchema.extend({ newKey: z.string() });

/** The account and the keys that `npm run dev` prints. */
export interface DevKey extends z.infer<typeof devKeySchema> {
  /** Credits that the account can spend. */
  readonly available: number;
}

export interface DevKeyOptions {
  readonly connection: Connection;
  /** The file of the keys. The tables hold only their hashes. */
  readonly folder: string;
  /** Creates an account with its free credits and a key. */
  readonly seed: (connection: Connection) => Promise<z.infer<typeof accountSchema>>;
}

/**
 * The keys of the last run while they are active and the account can pay; otherwise new ones. The
 * account has 1,000 credits; that of `newKey` only has what every account starts with.
 */
export async function workingDevKey(options: DevKeyOptions): Promise<DevKey> {
  const path = join(options.folder, "dev-key.json");
  const tables = openTables(options.connection);
  try {
    const before = await read(path);
    const isGood = before !== null && (await isUsable(tables, before));
    const keys = isGood ? before : await create(tables, options);
    if (!isGood) await write(path, keys);
    return { ...keys, available: take(await showAccount(tables, keys.account)).available };
  } finally {
    tables.client.destroy();
  }
}

async function create(tables: Tables, { seed, connection }: DevKeyOptions) {
  const { account, key } = await seed(connection);
  const { available } = take(await showAccount(tables, account));
  const grant = { account, kind: "grant", credits: CREDITS - available } as const;
  take(await moveCredits(tables, { ...grant, reference: `dev-${account}` }));
  const { key: newKey } = await seed(connection);
  return { account, key, newKey };
}

async function isUsable(
  tables: Tables,
  { account, key, newKey }: z.infer<typeof devKeySchema>,
): Promise<boolean> {
  const payer = await showAccount(tables, account);
  const isPaying =
    payer.ok && payer.value.status === "active" && payer.value.available >= CREDITS_NEEDED;
  return isPaying && (await isActive(tables, key)) && (await isActive(tables, newKey));
}

async function isActive({ dynamo, apiKeys }: Tables, key: string): Promise<boolean> {
  const found = await lookUpKey(dynamo, apiKeys, await fingerprint(key), Date.now);
  return found.outcome === "active";
}

async function read(path: string): Promise<z.infer<typeof devKeySchema> | null> {
  try {
    return devKeySchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return null;
  }
}

/** Readable by its owner only; renamed, so that nobody reads half of it. */
async function write(path: string, keys: z.infer<typeof devKeySchema>): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(keys), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
