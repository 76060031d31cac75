import { Command, CommanderError, InvalidArgumentError } from "@commander-js/extra-typings";
import { type Database, openDatabase } from "./load/database.ts";
import { createProgress } from "./progress.ts";
import { reconcile } from "./prove/reconcile.ts";
import { periodOf } from "./read/period.ts";
import { collect, type Report } from "./report/collect.ts";
import { prepareFolder } from "./report/prepare-folder.ts";
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
  const prepared = out === undefined ? null : await prepareFolder(out);
  if (prepared?.ok === false) return refuse(prepared.problem);
  const progress = createProgress(process.stderr, () => Date.now());
  const period = periodOf(options.month ?? null);
  const folders = keys === undefined ? args : [...args, keys];
  const reconciled = await reconcile(db, { folders, period }, progress.show);
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
  return exitCode(report, options);
}

function refuse(problem: string): number {
  console.error(`CANNOT BE RECONCILED\n${problem}`);
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
