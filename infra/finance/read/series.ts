import { type Answer, answer, problem } from "../../terminal/answer.ts";
import type { Export, Table } from "./manifest.ts";

/** Both tables at one time. */
export interface Snapshot extends Readonly<Record<Table, Export>> {
  readonly atMs: number;
}

/** What changed in both tables from one time (inclusive) to another (exclusive). */
export interface Window extends Readonly<Record<Table, Export>> {
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether it continues from the last snapshot, or from the window before. */
  readonly applied: boolean;
}

/** Exports in order of time, with at least one snapshot. */
export interface Series {
  readonly snapshots: readonly Snapshot[];
  readonly last: Snapshot;
  readonly windows: readonly Window[];
  /** The time of the closing state. */
  readonly closingMs: number;
}

/** Puts exports in order. Refuses a set without a complete state. */
export function arrange(exports: readonly Export[]): Answer<Series> {
  const foreign = exports.find(({ stack }) => stack !== exports[0]?.stack);
  if (foreign !== undefined) {
    return problem(
      `${foreign.folder}: an export of ${foreign.stack}-${foreign.table}, while others are of ` +
        `${exports[0]?.stack}. Reconcile one set of tables at a time.`,
    );
  }
  const pairs = pairUp(exports);
  if (!pairs.ok) return pairs;
  const snapshots = pairs.value.flatMap(snapshotOf).sort((a, b) => a.atMs - b.atMs);
  const last = snapshots.at(-1);
  if (last === undefined) {
    return problem(
      "There is no full export. An incremental one only continues a full one: add the full export " +
        "of accounts and ledger at the start of its window.",
    );
  }
  const windows = pairs.value.flatMap(windowOf).sort((a, b) => a.fromMs - b.fromMs);
  const chain = follow(windows, last);
  if (!chain.ok) return chain;
  return answer({ snapshots, last, windows: chain.value.windows, closingMs: chain.value.endMs });
}

type Pair = Readonly<Record<Table, Export>>;

/** The two tables' exports of each period, as pairs. */
function pairUp(exports: readonly Export[]): Answer<Pair[]> {
  const periods = new Map<string, Partial<Record<Table, Export>>>();
  for (const one of exports) {
    const key = describe(one);
    const pair = periods.get(key) ?? {};
    const twin = pair[one.table];
    if (twin !== undefined && twin.arn !== one.arn) {
      return problem(
        `${one.folder}: ${twin.folder} is another export of ${one.table} ${key}. Name one.`,
      );
    }
    periods.set(key, { ...pair, [one.table]: one });
  }
  const pairs: Pair[] = [];
  for (const [key, { accounts, ledger }] of periods) {
    if (accounts === undefined || ledger === undefined) {
      const lonely = accounts ?? ledger;
      return problem(
        `${lonely?.folder}: the export of ${lonely?.table} ${key} has none of the other table beside ` +
          "it. Both tables must be exported with one and the same time, as ops ledger export does.",
      );
    }
    pairs.push({ accounts, ledger });
  }
  return answer(pairs);
}

function describe({ period }: Export): string {
  return period.kind === "full"
    ? `at ${iso(period.atMs)}`
    : `from ${iso(period.fromMs)} to ${iso(period.toMs)}`;
}

function snapshotOf(pair: Pair): Snapshot[] {
  const { period } = pair.ledger;
  return period.kind === "full" ? [{ ...pair, atMs: period.atMs }] : [];
}

function windowOf(pair: Pair): Window[] {
  const { period } = pair.ledger;
  if (period.kind === "full") return [];
  return [{ ...pair, fromMs: period.fromMs, toMs: period.toMs, applied: false }];
}

/** Marks the windows that continue from the last snapshot. Refuses a gap between them. */
function follow(windows: readonly Window[], last: Snapshot) {
  let endMs = last.atMs;
  const marked: Window[] = [];
  for (const window of windows) {
    const applied = window.toMs > endMs;
    if (applied && window.fromMs > endMs) {
      return problem(
        `${window.ledger.folder}: the window begins at ${iso(window.fromMs)}, while what is before ` +
          `it ends at ${iso(endMs)}. Add the incremental exports between the two.`,
      );
    }
    if (applied) endMs = window.toMs;
    marked.push({ ...window, applied });
  }
  return answer({ windows: marked, endMs });
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
