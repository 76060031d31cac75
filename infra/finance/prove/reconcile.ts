import { type Answer, answer, problem } from "../../terminal/answer.ts";
import type { Database } from "../load/database.ts";
import { load } from "../load/load.ts";
import { findExports } from "../read/find.ts";
import { type Export, readExport } from "../read/manifest.ts";
import { arrange, type Series } from "../read/series.ts";
import { verifyFiles } from "../read/verify.ts";
import { type Outcome, prove } from "./prove.ts";

export type Phase = "verifying" | "reading" | "checking" | "writing";
/** Is told the progress of a phase: `done` of `total`, in bytes or steps. */
export type OnProgress = (phase: Phase, done: number, total: number) => void;

/** A series of exports, loaded and checked. The findings are in the database. */
export interface Reconciled {
  readonly series: Series;
  readonly outcomes: readonly Outcome[];
}

/**
 * READ ME FIRST: finds the exports, verifies their manifests, puts them in order, reads and
 * verifies their data, and runs the checks. A problem means that the exports cannot be trusted or
 * read.
 */
export async function reconcile(
  db: Database,
  folders: readonly string[],
  onProgress: OnProgress,
): Promise<Answer<Reconciled>> {
  const exports = await readExports(folders);
  if (!exports.ok) return exports;
  const series = arrange(exports.value);
  if (!series.ok) return series;

  const verified = await verify(exports.value, onProgress);
  if (!verified.ok) return verified;
  const loaded = await load(db, series.value, (done, total) => onProgress("reading", done, total));
  if (!loaded.ok) return loaded;

  const onStep = (done: number, steps: number) => onProgress("checking", done, steps);
  return answer({ series: series.value, outcomes: await prove(db, series.value, onStep) });
}

async function readExports(folders: readonly string[]): Promise<Answer<Export[]>> {
  const found = await findExports(folders);
  if (!found.ok) return found;
  const exports: Export[] = [];
  for (const folder of found.value) {
    const read = await readExport(folder);
    if (!read.ok) return read;
    exports.push(read.value);
  }
  return exports.length > 0 ? answer(exports) : problem("Name at least one folder with an export.");
}

function verify(exports: readonly Export[], onProgress: OnProgress): Promise<Answer<void>> {
  const files = exports.flatMap((one) => one.files);
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let doneBytes = 0;
  return verifyFiles(files, ({ sizeBytes }) => {
    doneBytes += sizeBytes;
    onProgress("verifying", doneBytes, totalBytes);
  });
}
