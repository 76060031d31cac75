import type { Database } from "../load/database.ts";
import type { Loadable } from "../load/load.ts";
import { type Macs, nameAuthenticity } from "../load/macs.ts";
import { listSql, readSql, wordingOf } from "../load/sql.ts";
import { makeClosing, nameKeys, nameSeen, nameState, nameWindow } from "../load/states.ts";
import { exportTime, openingTime } from "../load/times.ts";
import { keysMs } from "../read/keys.ts";
import type { Series } from "../read/series.ts";
import { countFindings, runCheck } from "./findings.ts";

/** A check and the number of its findings. */
export interface Outcome {
  readonly check: string;
  /** The claim of the check, in one sentence. */
  readonly claim: string;
  readonly findings: number;
}

/** What was read, and with what MACs are verified; null for not at all. */
export interface Given extends Loadable {
  readonly macs: Macs | null;
}

/** Is told how many of all steps are done. */
export type OnStep = (done: number, steps: number) => void;

interface Step {
  /** Creates the views that the checks read. */
  readonly prepare: () => Promise<void>;
  /** Files of the checks to run on these views. */
  readonly paths: readonly string[];
}

/**
 * Runs every check that the exports allow: those of one state on the closing state, those of a
 * window on each window, those of two states on each earlier snapshot, those of the API keys and MACs.
 */
export async function prove(db: Database, loaded: Given, onStep: OnStep): Promise<Outcome[]> {
  const { series } = loaded;
  const closing = await makeClosing(db, series);
  const steps = [
    closingStep(db, series, closing),
    ...macsSteps(db, loaded),
    ...keysSteps(db, loaded),
    ...windowSteps(db, series),
    ...openingSteps(db, series, closing),
  ];
  const total = steps.reduce((sum, { paths }) => sum + paths.length + 1, 0);
  let done = 0;
  for (const { prepare, paths } of steps) {
    await prepare();
    onStep(++done, total);
    for (const path of paths) {
      await runCheck(db, path);
      onStep(++done, total);
    }
  }
  return outcomesOf(
    db,
    steps.flatMap(({ paths }) => paths),
  );
}

function pathsOf(folder: string): string[] {
  return listSql(folder).map((name) => `${folder}/${name}`);
}

function closingStep(db: Database, { closingMs }: Series, closing: number): Step {
  const prepare = async () => {
    await nameState(db, "", closing);
    await db.run(`CREATE TABLE services AS ${readSql("views/services")}`);
    await db.run(`CREATE TABLE export_time AS ${exportTime(closingMs)}`);
  };
  return { prepare, paths: pathsOf("checks") };
}

function macsSteps(db: Database, { macs }: Given): Step[] {
  if (macs === null) return [];
  return [{ prepare: () => nameAuthenticity(db, macs), paths: pathsOf("macs") }];
}

function keysSteps(db: Database, { keys }: Loadable): Step[] {
  if (keys === null) return [];
  return [{ prepare: () => nameKeys(db, keysMs(keys)), paths: pathsOf("keys") }];
}

/** The closing ledger must have every record as a window saw it written. */
function windowSteps(db: Database, { windows }: Series): Step[] {
  if (windows.length === 0) return [];
  const paths = pathsOf("windows");
  const each = windows.map((_, number) => ({ prepare: () => nameWindow(db, number), paths }));
  return [
    ...each,
    { prepare: () => nameSeen(db), paths: ["series/record_altered", "series/record_deleted"] },
  ];
}

function openingSteps(db: Database, { snapshots }: Series, closing: number): Step[] {
  const paths = pathsOf("series");
  return snapshots.slice(0, closing).map(({ atMs }, at) => ({
    paths,
    prepare: async () => {
      await nameState(db, "opening_", at);
      await db.run(`CREATE OR REPLACE TABLE opening_time AS ${openingTime(atMs)}`);
    },
  }));
}

/** One outcome for each check, however many states it ran on. */
async function outcomesOf(db: Database, paths: readonly string[]): Promise<Outcome[]> {
  const counts = await countFindings(db);
  const outcomes = new Map<string, Outcome>();
  for (const path of paths) {
    const check = path.slice(path.indexOf("/") + 1);
    const findings = counts.get(check) ?? 0;
    outcomes.set(check, { check, claim: wordingOf(path).claim, findings });
  }
  return [...outcomes.values()];
}
