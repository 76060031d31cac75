import * as z from "zod";
import type { Database } from "../load/database.ts";
import { readSql } from "../load/sql.ts";
import type { Money } from "../money/collect.ts";
import { type Explained, readFindings } from "../prove/findings.ts";
import type { Outcome } from "../prove/prove.ts";
import type { Reconciled } from "../prove/reconcile.ts";
import type { AnyExport } from "../read/manifest.ts";
import { type Period, utc } from "../read/period.ts";
import { namePeriod } from "./period.ts";

const count = z.coerce.number();

const totalsSchema = z.object({
  accounts: count,
  opening: count,
  granted: count,
  purchased: count,
  adjusted: count,
  charged: count,
  closing: count,
  moved_later: count,
  available_at_export: count,
  held_at_export: count,
  requests: count,
  succeeded: count,
  keyed: count,
  items: count,
  usage_charged: count,
  topups: count,
  topups_credits: count,
  open_holds: count,
  unfinished: count,
  announced_topups: count,
});
/**
 * Credits, unless the name says otherwise. `keyed`: requests with Idempotency-Key. `usage_charged` includes what is in flight; `charged`
 * does not.
 */
export type Totals = z.infer<typeof totalsSchema>;

const daySchema = z.object({
  day: z.string(),
  service: z.string(),
  requests: count,
  items: count,
  charged: count,
});
export type Day = z.infer<typeof daySchema>;

const serviceSchema = z.object({
  month: z.string(),
  service: z.string(),
  requests: count,
  succeeded: count,
  items: count,
  charged: count,
});

const outcomeSchema = z.object({ outcome: z.string(), requests: count, charged: count });
const keysSchema = z.object({
  attempts: count,
  keys: count,
  succeeded: count,
  charged: count,
});
const holdsSchema = z.object({ age: z.string(), holds: count, credits: count });
const balanceSchema = z.object({
  account: z.string(),
  email: z.string().nullable(),
  opening: count,
  granted: count,
  purchased: count,
  adjusted: count,
  charged: count,
  closing: count,
});
export type Balance = z.infer<typeof balanceSchema>;

/** An export that the report is made from. */
export interface Source {
  readonly table: string;
  readonly shows: string;
  readonly items: number;
}

/**
 * Everything that the terminal, the page and the summary show. Lists are cut; the files have all.
 */
export interface Report {
  readonly month: string | null;
  readonly exportedAt: string;
  readonly isFinal: boolean;
  readonly sources: readonly Source[];
  readonly totals: Totals;
  readonly checks: readonly Outcome[];
  readonly discrepancies: number;
  readonly findings: readonly Explained[];
  /** Which comparisons the exports did not allow, in sentences. */
  readonly notCompared: readonly string[];
  /** Whether no export from the beginning was there to compare with. */
  readonly lacksOpening: boolean;
  readonly days: readonly Day[];
  readonly services: readonly z.infer<typeof serviceSchema>[];
  readonly outcomes: readonly z.infer<typeof outcomeSchema>[];
  /** Idempotency-Keys by attempts; 10 stands for 10 and more. */
  readonly keys: readonly z.infer<typeof keysSchema>[];
  readonly holds: readonly z.infer<typeof holdsSchema>[];
  /** Of the accounts that were charged most. */
  readonly balances: readonly Balance[];
  /** Null without a file of prices. */
  readonly money: Money | null;
  /** Whether the emails of the accounts are given. */
  readonly hasEmails: boolean;
}

const FINDINGS_SHOWN = 200;
const BALANCES_SHOWN = 50;

export async function collect(
  db: Database,
  { series, keys, outcomes: checks, omitted }: Reconciled,
  period: Period,
): Promise<Report> {
  await namePeriod(db, period, readSql("report/balances"));
  const rows = <T>(name: string, schema: z.ZodType<T>) =>
    db.rows(readSql(`report/${name}`), schema);
  const [totals] = await rows("totals", totalsSchema);
  const [given] = await db.rows(
    "SELECT count(*) AS emails FROM emails",
    z.object({ emails: count }),
  );
  if (totals === undefined) throw new Error("the totals are one row");
  return {
    month: period.month,
    exportedAt: new Date(series.closingMs).toISOString(),
    isFinal: period.lastMs < series.closingMs && totals.unfinished === 0,
    sources: [...sourcesOf(series), ...(keys === null ? [] : [sourceOf(keys)])],
    totals,
    checks,
    discrepancies: checks.reduce((sum, { findings }) => sum + findings, 0),
    findings: await readFindings(db, FINDINGS_SHOWN),
    notCompared: omitted.sentences,
    lacksOpening: omitted.lacksOpening,
    days: await rows("days", daySchema),
    services: await rows("services", serviceSchema),
    outcomes: await rows("outcomes", outcomeSchema),
    keys: await rows("keys", keysSchema),
    holds: await rows("holds", holdsSchema),
    balances: await db.rows(
      `SELECT b.*, e.email FROM balances b LEFT JOIN emails e ON e.account = b.account
       ORDER BY b.charged DESC, b.account LIMIT ${BALANCES_SHOWN}`,
      balanceSchema,
    ),
    money: null,
    hasEmails: (given?.emails ?? 0) > 0,
  };
}

function sourcesOf({ snapshots, windows }: Reconciled["series"]): Source[] {
  return [...snapshots, ...windows].flatMap(({ accounts, ledger }) =>
    [accounts, ledger].map(sourceOf),
  );
}

function sourceOf({ stack, table, period, itemCount }: AnyExport): Source {
  const shows =
    period.kind === "full"
      ? `all, at ${utc(period.atMs)}`
      : `changes, ${utc(period.fromMs)} to ${utc(period.toMs)}`;
  return { table: `${stack}-${table}`, shows, items: itemCount };
}

/** The accounts' credits at the export minus what the ledger explains. 0 if it balances. */
export function unexplained({ totals }: Report): number {
  const { available_at_export, held_at_export, closing, moved_later } = totals;
  return available_at_export + held_at_export - closing - moved_later;
}
