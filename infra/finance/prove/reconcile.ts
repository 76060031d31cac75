import { type Answer, answer, problem } from "../../terminal/answer.ts";
import type { Database } from "../load/database.ts";
import { type Loadable, load } from "../load/load.ts";
import { countOld, type Macs } from "../load/macs.ts";
import { findExports } from "../read/find.ts";
import { sortOut } from "../read/keys.ts";
import { type AnyExport, readExport } from "../read/manifest.ts";
import { type Period, utc } from "../read/period.ts";
import { arrange, type Series } from "../read/series.ts";
import { verifyFiles } from "../read/verify.ts";
import { type Omitted, omittedFrom } from "./omitted.ts";
import { type Outcome, prove } from "./prove.ts";

export type Phase = "verifying" | "reading" | "checking" | "valuing" | "writing";
/** Is told the progress of a phase: `done` of `total`, in bytes or steps. */
export type OnProgress = (phase: Phase, done: number, total: number) => void;

/** What to reconcile. */
export interface Wanted {
  /** Folders with exports of accounts and ledger, and of the API keys where there is one. */
  readonly folders: readonly string[];
  readonly period: Period;
  /** Null to verify no MAC. */
  readonly macs: Macs | null;
}

/** A series of exports, loaded and checked. The findings are in the database. */
export interface Reconciled extends Loadable {
  readonly outcomes: readonly Outcome[];
  readonly omitted: Omitted;
}

/**
 * READ ME FIRST: finds the exports, verifies their manifests, puts them in order, reads and
 * verifies their data, and runs the checks. A problem means that the exports cannot be trusted or
 * read, or that they are of another time than the wanted period.
 */
export async function reconcile(
  db: Database,
  { folders, period, macs }: Wanted,
  onProgress: OnProgress,
): Promise<Answer<Reconciled>> {
  const exports = await readExports(folders);
  if (!exports.ok) return exports;
  const found = order(exports.value, period);
  if (!found.ok) return found;

  const verified = await verify(exports.value, onProgress);
  if (!verified.ok) return verified;
  const loaded = await load(db, found.value, (done, total) => onProgress("reading", done, total));
  if (!loaded.ok) return loaded;

  const onStep = (done: number, steps: number) => onProgress("checking", done, steps);
  const given = { ...found.value, macs };
  const outcomes = await prove(db, given, onStep);
  const unproven = macs === null ? null : await countOld(db);
  return answer({ ...given, outcomes, omitted: omittedFrom(given, period, unproven) });
}

function order(exports: readonly AnyExport[], period: Period): Answer<Loadable> {
  const sorted = sortOut(exports);
  if (!sorted.ok) return sorted;
  const series = arrange(sorted.value.books);
  if (!series.ok) return series;
  if (isLater(period, series.value)) {
    return problem(
      `${period.month} begins after the last export, which is of ${utc(series.value.closingMs)}. ` +
        "Name a month that the exports show.",
    );
  }
  return answer({ series: series.value, keys: sorted.value.keys });
}

function isLater({ fromMs }: Period, { closingMs }: Series): boolean {
  return fromMs >= closingMs;
}

async function readExports(folders: readonly string[]): Promise<Answer<AnyExport[]>> {
  const found = await findExports(folders);
  if (!found.ok) return found;
  const exports: AnyExport[] = [];
  for (const folder of found.value) {
    const read = await readExport(folder);
    if (!read.ok) return read;
    exports.push(read.value);
  }
  return exports.length > 0 ? answer(exports) : problem("Name at least one folder with an export.");
}

function verify(exports: readonly AnyExport[], onProgress: OnProgress): Promise<Answer<void>> {
  const files = exports.flatMap((one) => one.files);
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let doneBytes = 0;
  return verifyFiles(files, ({ sizeBytes }) => {
    doneBytes += sizeBytes;
    onProgress("verifying", doneBytes, totalBytes);
  });
}
