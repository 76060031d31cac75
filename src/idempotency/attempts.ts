import { type Recorded, readRecord } from "../credits/items.ts";
import type { Ledger } from "../credits/ledger.ts";
import { CLOCK_SKEW_MS, SETTLE_GRACE_MS } from "../credits/limits.ts";
import { ATTEMPTS_MAX, attemptId, attemptOf, attemptPrefix, DAY_MS, dayOf } from "./attempt-id.ts";

/** Which attempts belong together: those of one account under one Idempotency-Key. */
export interface Scope {
  readonly account: string;
  /** Of account and key, hex. The key itself is stored nowhere. */
  readonly keyHash: string;
}

/** The latest ended attempt of each day that matters now. Null for a day without one. */
export type Attempts = ReadonlyMap<number, Recorded | null>;

/** The id of the next attempt. */
export interface Next {
  readonly requestId: string;
  /** Ids that an attempt of another day may have: while one of them has a hold, it is under way. */
  readonly rivals: readonly string[];
  /** Days that an attempt which begins at this moment may choose too: another clock is at another day. */
  readonly edgeDays: readonly number[];
}

/**
 * What an earlier attempt means for the next one. `differs`: its request was another. `spent`: there
 * were too many attempts.
 */
export type Decision =
  | { readonly kind: "paid"; readonly record: Recorded }
  | { readonly kind: "next"; readonly next: Next }
  | { readonly kind: "differs" | "spent" };

/**
 * How far two attempts at the edge of a day may differ in the day that they choose: two clocks, and the
 * time that a request may take beyond its window.
 */
export const EDGE_MS = 2 * CLOCK_SKEW_MS + SETTLE_GRACE_MS + 210_000;

/**
 * Reads the latest attempt of today and of yesterday, and near the edge of a day of one more. Strongly
 * consistent; one read unit each.
 * @returns null if the store did not answer
 */
export async function findAttempts(
  ledger: Ledger,
  scope: Scope,
  days = daysAround(ledger.now()),
): Promise<Attempts | null> {
  const found = await Promise.all(days.map((dayMs) => latestOf(ledger, scope, dayMs)));
  const attempts = new Map<number, Recorded | null>();
  for (const [at, dayMs] of days.entries()) {
    const latest = found[at];
    if (latest === undefined) return null;
    attempts.set(dayMs, latest);
  }
  return attempts;
}

/** The days in which an attempt that still counts may have begun. */
function daysAround(nowMs: number): readonly number[] {
  return daysBetween(nowMs - DAY_MS - EDGE_MS, nowMs + EDGE_MS);
}

function daysBetween(fromMs: number, toMs: number): readonly number[] {
  const days: number[] = [];
  for (let dayMs = dayOf(fromMs); dayMs <= toMs; dayMs += DAY_MS) days.push(dayMs);
  return days;
}

/**
 * Decides about the next attempt. A success of the last 24 hours is never done twice.
 *
 * Attempts of one day are numbered. Who chooses a number has seen the record of the one before, and
 * that it failed. Two that choose the same number write the same record, of which the store accepts
 * one. So at most one of a day is ever charged.
 */
export function decide(
  attempts: Attempts,
  { scope, requestHash, nowMs }: { scope: Scope; requestHash: string; nowMs: number },
): Decision {
  const live = [...attempts.values()].filter(
    (attempt) => attempt !== null && attempt.settledAtMs > nowMs - DAY_MS,
  );
  const isOther = (attempt: Recorded | null) =>
    (attempt?.requestHash ?? requestHash) !== requestHash;
  if (live.some(isOther)) return { kind: "differs" };
  const paid = live.find((attempt) => attempt?.isPaid);
  if (paid !== undefined && paid !== null) return { kind: "paid", record: paid };
  const today = dayOf(nowMs);
  const requestId = nextId(attempts, scope, today);
  if (requestId === null) return { kind: "spent" };
  const others = [...attempts.keys()].filter((dayMs) => dayMs !== today);
  const rivals = others.flatMap((dayMs) => nextId(attempts, scope, dayMs) ?? []);
  const isNear = (dayMs: number) => dayMs + DAY_MS > nowMs - EDGE_MS && dayMs < nowMs + EDGE_MS;
  return { kind: "next", next: { requestId, rivals, edgeDays: others.filter(isNear) } };
}

function nextId(attempts: Attempts, { keyHash }: Scope, dayMs: number): string | null {
  const latest = attempts.get(dayMs) ?? null;
  const attempt = latest === null ? 0 : attemptOf(latest.requestId) + 1;
  return attempt > ATTEMPTS_MAX ? null : attemptId(attemptPrefix(dayMs, keyHash), attempt);
}

/** Undefined if the store did not answer. */
async function latestOf(
  { dynamo, ledgerTable }: Ledger,
  { account, keyHash }: Scope,
  dayMs: number,
): Promise<Recorded | null | undefined> {
  const month = new Date(dayMs).toISOString().slice(0, 7);
  const page = await dynamo.query({
    TableName: ledgerTable,
    KeyConditionExpression: "account_period = :period AND begins_with(record_id, :prefix)",
    ExpressionAttributeValues: {
      ":period": { S: `${account}#${month}` },
      ":prefix": { S: attemptPrefix(dayMs, keyHash) },
    },
    ScanIndexForward: false,
    Limit: 1,
    ConsistentRead: true,
  });
  if (page.outcome === "unknown") return undefined;
  const [item] = page.items;
  return item === undefined ? null : readRecord(item);
}
