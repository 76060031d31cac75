import { join } from "node:path";
import { Command, CommanderError, InvalidArgumentError } from "@commander-js/extra-typings";
import { type Answer, answer, problem } from "../terminal/answer.ts";
import { type Database, openDatabase } from "./load/database.ts";
import { createProgress } from "./progress.ts";
import { type Reconciled, reconcile } from "./prove/reconcile.ts";
import { exists } from "./read/find.ts";
import { readMacKeys } from "./read/mac-keys.ts";
import { periodOf } from "./read/period.ts";
import { collect, type Report } from "./report/collect.ts";
import { prepareFolder } from "./report/prepare-folder.ts";
import { sealMonth } from "./seal/close.ts";
import { SEAL_FILE } from "./seal/seal.ts";
import { terminalText } from "./terminal.ts";

/** Exit codes for scripts and schedulers. */
const BALANCED = 0;
const DISCREPANCIES = 1;
const UNTRUSTED = 2;
const WITHOUT_OPENING = 3;

interface Options {
  readonly month?: string;
  readonly out?: string;
  readonly keys?: string;
  readonly opening: boolean;
  readonly macKey?: string;
  readonly macSince?: number;
  readonly sealKey?: string;
  readonly previous?: string;
}

const command = new Command("npm run reconcile --")
  .description(
    "Proves from exports of the accounts and ledger tables that every credit is accounted for.",
  )
  .argument("<folders...>", "folders into which exports were copied: full and incremental ones")
  .option("--month <YYYY-MM>", "report on one month (UTC)", month)
  .option("--out <folder>", "write report.html, summary.json, and tables as CSV and Parquet")
  .option("--keys <folder>", "folder with the export of the API keys, to compare with it too")
  .option(
    "--mac-key <file>",
    "MAC keys, one a line (default: LEDGER_MAC_KEY), to verify each record",
  )
  .option("--mac-since <date>", "records that are dated before it may lack a MAC", dateMs)
  .option("--seal-key <file>", "private key of ops finance key: seal the month in --out")
  .option("--previous <folder>", "results of the month before, whose seal this one names")
  .option(
    "--no-opening",
    "there is no earlier export, as in the first month: exit with 0 without it",
  )
  .addHelpText(
    "after",
    "\nExit codes: 0 balanced, 1 discrepancies found, 2 an export cannot be trusted,\n" +
      "3 balanced, but without an export from the beginning to compare with.",
  )
  .showHelpAfterError()
  .exitOverride();

process.exitCode = await main();

async function main(): Promise<number> {
  let db: Database | null = null;
  try {
    command.parse();
    db = await openDatabase();
    return await run(db, command.args, command.opts());
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? BALANCED : UNTRUSTED;
    console.error(error);
    return UNTRUSTED;
  } finally {
    await db?.close();
  }
}

async function run(db: Database, args: readonly string[], options: Options): Promise<number> {
  const { out, keys } = options;
  // Before the work, which takes minutes.
  const prepared = out === undefined ? null : await prepareOut(out);
  if (prepared?.ok === false) return refuse(prepared.problem);
  const keysOfMacs = await readMacKeys(options.macKey, process.env);
  if (!keysOfMacs.ok) return refuse(keysOfMacs.problem);
  const progress = createProgress(process.stderr, () => Date.now());
  const period = periodOf(options.month ?? null);
  const folders = keys === undefined ? args : [...args, keys];
  const sinceMs = options.macSince ?? null;
  const macs = keysOfMacs.value === null ? null : { keys: keysOfMacs.value, sinceMs };
  const reconciled = await reconcile(db, { folders, period, macs }, progress.show);
  if (!reconciled.ok) {
    progress.end();
    return refuse(reconciled.problem);
  }
  const report = await collect(db, reconciled.value, period);
  if (out !== undefined) {
    // Loaded only now, because the charts' library takes a while.
    const { writeFiles } = await import("./report/write-files.ts");
    await writeFiles(db, report, out, (done, total) => progress.show("writing", done, total));
  }
  progress.end();
  console.log(terminalText(report));
  const sealed = await seal(reconciled.value, report, options);
  if (!sealed.ok) {
    console.error(`NOT SEALED\n${sealed.problem}`);
    return UNTRUSTED;
  }
  return exitCode(report, options);
}

/** A sealed month is never written over. */
async function prepareOut(folder: string): Promise<Answer<void>> {
  if (!(await exists(join(folder, SEAL_FILE)))) return prepareFolder(folder);
  return problem(`--out ${folder}: it holds a sealed month. Name another folder.`);
}

async function seal(reconciled: Reconciled, report: Report, options: Options) {
  const { sealKey, out, previous } = options;
  if (sealKey === undefined) return answer(undefined);
  if (out === undefined) return problem("--seal-key needs --out: a seal is of the files there.");
  const previousFolder = previous ?? null;
  const sealing = { folder: out, keyFile: sealKey, previousFolder, nowMs: Date.now() };
  return sealMonth(reconciled, report, sealing);
}

function refuse(sentence: string): number {
  console.error(`CANNOT BE RECONCILED\n${sentence}`);
  return UNTRUSTED;
}

function exitCode({ discrepancies, lacksOpening }: Report, { opening }: Options): number {
  if (discrepancies > 0) return DISCREPANCIES;
  return lacksOpening && opening ? WITHOUT_OPENING : BALANCED;
}

function month(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError("Not a month as in 2026-10.");
  return text;
}

function dateMs(text: string): number {
  const timeMs = Date.parse(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(timeMs)) {
    throw new InvalidArgumentError("Not a date as in 2026-12-01.");
  }
  return timeMs;
}
