import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { type Answer, answer } from "../terminal/answer.ts";
import type { Database } from "./load/database.ts";
import { loadEmails } from "./load/emails.ts";
import type { Macs } from "./load/macs.ts";
import { valueMonth } from "./money/month.ts";
import type { Prices } from "./money/prices.ts";
import { writeMoney } from "./money/write.ts";
import { type OnProgress, type Reconciled, reconcile } from "./prove/reconcile.ts";
import { periodOf } from "./read/period.ts";
import { collect, type Report } from "./report/collect.ts";

/** What the report is made from. */
export interface Inputs {
  readonly folders: readonly string[];
  /** `YYYY-MM`, or null for everything. */
  readonly month: string | null;
  /** Null to verify no MAC. */
  readonly macs: Macs | null;
  /** Null where only credits are counted. */
  readonly prices: Prices | null;
  /** A file with the accounts' emails. Null to leave them out. */
  readonly emails: string | null;
}

/** What was made of them. */
export interface Made {
  readonly reconciled: Reconciled;
  readonly report: Report;
}

/** Reads everything, proves it, and values it. */
export async function makeReport(
  db: Database,
  { folders, month, macs, prices, emails }: Inputs,
  onProgress: OnProgress,
): Promise<Answer<Made>> {
  const period = periodOf(month);
  const reconciled = await reconcile(db, { folders, period, macs }, onProgress);
  if (!reconciled.ok) return reconciled;
  const loaded = emails === null ? answer(undefined) : await loadEmails(db, emails);
  if (!loaded.ok) return loaded;
  const report = await collect(db, reconciled.value, period);
  const money = await valueMonth(db, prices, (done, total) => onProgress("valuing", done, total));
  if (!money.ok) return money;
  return answer({ reconciled: reconciled.value, report: { ...report, money: money.value } });
}

const PRICES_COPY = "prices.toml";

/** Which files are wanted. */
export interface Outputs {
  readonly folder: string;
  /** Of every customer of the period. */
  readonly statements: boolean;
  /** Accounts whose statements alone are written. */
  readonly accounts: readonly string[];
  /** The file of prices, which is kept beside what it gave, so that a seal covers it. Null without. */
  readonly pricesFile: string | null;
}

export async function writeResults(
  db: Database,
  { report, folder, statements, accounts, pricesFile }: Outputs & { report: Report },
  onFile: (done: number, total: number) => void,
): Promise<Answer<void>> {
  // Loaded only now, because the charts' library takes a while.
  const { writeFiles } = await import("./report/write-files.ts");
  await writeFiles(db, report, folder, onFile);
  const { money, month, hasEmails } = report;
  if (money !== null) await writeMoney(db, folder, hasEmails);
  if (pricesFile !== null) await copyFile(pricesFile, join(folder, PRICES_COPY));
  if (!statements && accounts.length === 0) return answer(undefined);
  const { writeStatements } = await import("./statements/write.ts");
  const wanted = { folder, month, accounts, valued: money !== null };
  const done = await writeStatements(db, wanted, onFile);
  return done.ok ? answer(undefined) : done;
}
