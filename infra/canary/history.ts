import { appendFile, readFile, rename, stat, writeFile } from "node:fs/promises";
import * as z from "zod";

/** Runs that the file keeps, and its most bytes: what is older is dropped. */
const RUNS_MAX = 1_000;
const BYTES_MAX = 16 * 1024 * 1024;

/** How long something has been right or wrong. */
const standingSchema = z.object({
  /** A name that is the same in every run. */
  name: z.string(),
  right: z.boolean(),
  /** When it was first seen as it is now. ISO 8601. */
  since: z.iso.datetime(),
  /** Null if it was never seen right. */
  last_right: z.iso.datetime().nullable(),
});
export type Standing = z.infer<typeof standingSchema>;

/** One run of the canary: one line of the file. */
const runSchema = z.object({ at: z.iso.datetime(), standings: z.array(standingSchema) });
export type Run = z.infer<typeof runSchema>;

/** What the file holds. Each run repeats what earlier runs knew, so that old ones can be dropped. */
export interface History {
  readonly file: string;
  readonly runs: readonly Run[];
}

/**
 * Reads the history of earlier runs. There is none yet if there is no file.
 * @throws Error that says why the file is not a history: it is never overwritten then
 */
export async function readHistory(file: string): Promise<History> {
  const size = await sizeOf(file);
  if (size === null) return { file, runs: [] };
  if (size > 2 * BYTES_MAX) throw new Error(`${file} is too large for a history.`);
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  return { file, runs: lines.map((line, at) => readRun(line, `${file}, line ${at + 1}`)) };
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function readRun(line: string, place: string): Run {
  try {
    return runSchema.parse(JSON.parse(line));
  } catch {
    throw new Error(`${place}: this is no run of the canary. Name another file for --history.`);
  }
}

/** What a run has found out about something. */
export type Seen = Pick<Standing, "name" | "right">;

/** This run, with what the earlier ones know: since when, and when last right. */
export function follow(runs: readonly Run[], seen: readonly Seen[], at: string): Run {
  const before = new Map<string, Standing>();
  for (const run of runs) for (const one of run.standings) before.set(one.name, one);
  const standings = seen.map(({ name, right }) => {
    const last = before.get(name);
    const since = last?.right === right ? last.since : at;
    return { name, right, since, last_right: right ? at : (last?.last_right ?? null) };
  });
  return { at, standings };
}

/** Adds a run. Once the file is full, drops the oldest runs. */
export async function writeRun({ file, runs }: History, run: Run): Promise<void> {
  const text = `${JSON.stringify(run)}\n`;
  const kept = newest([...runs, run]);
  if (kept.length > runs.length) return appendFile(file, text);
  await writeFile(`${file}.new`, kept.map((one) => `${JSON.stringify(one)}\n`).join(""));
  await rename(`${file}.new`, file);
}

/** The last runs that fit; at least the very last. */
export function newest(runs: readonly Run[], runsMax = RUNS_MAX, bytesMax = BYTES_MAX): Run[] {
  const kept: Run[] = [];
  let bytes = 0;
  for (const run of runs.toReversed()) {
    bytes += Buffer.byteLength(JSON.stringify(run)) + 1;
    if (kept.length === runsMax || (bytes > bytesMax && kept.length > 0)) break;
    kept.push(run);
  }
  return kept.reverse();
}
