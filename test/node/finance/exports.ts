import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "../../../infra/finance/load/database.ts";
import type { Macs } from "../../../infra/finance/load/macs.ts";
import {
  type Explained,
  type Finding,
  findingSchema,
  readFindings,
} from "../../../infra/finance/prove/findings.ts";
import { type Reconciled, reconcile } from "../../../infra/finance/prove/reconcile.ts";
import { periodOf } from "../../../infra/finance/read/period.ts";
import type { Answer } from "../../../infra/terminal/answer.ts";

/** A folder for one test, and a function that removes it. */
export async function makeFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "finance-test-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The outcome of reconciling exports, with the findings in order. */
export async function reconciled(
  folders: readonly string[],
  macs: Macs | null = null,
): Promise<{ answer: Answer<Reconciled>; findings: Finding[]; explained: Explained[] }> {
  return withDatabase(async (db) => {
    const answer = await reconcile(db, { folders, period: periodOf(null), macs }, () => {});
    const explained = answer.ok ? await readFindings(db, 1_000_000) : [];
    return { answer, findings: explained.map((one) => findingSchema.parse(one)), explained };
  });
}

export async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase();
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Findings in the order for comparison. */
export function inOrder(findings: readonly Finding[]): string[] {
  return findings.map((finding) => JSON.stringify(finding)).sort();
}

/** Folders of the manifests below an exported folder: of the accounts, of the ledger. */
export async function manifestFolders(
  folder: string,
): Promise<{ accounts: string; ledger: string }> {
  const root = join(folder, "AWSDynamoDB");
  const names = (await readdir(root)).filter((name) => name !== "data").sort();
  const [accounts = "", ledger = ""] = names.map((name) => join(root, name));
  return { accounts, ledger };
}

/** Changes a manifest and its checksum, as the author of another export would. */
export async function rewrite(path: string, change: (text: string) => string): Promise<void> {
  const text = change(await readFile(path, "utf8"));
  await writeFile(path, text);
  const checksum = createHash("md5").update(text).digest("base64");
  await writeFile(path.replace(/json$/, "checksum"), checksum);
}
