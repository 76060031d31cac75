import { Command, CommanderError, InvalidArgumentError } from "@commander-js/extra-typings";
import { type Database, openDatabase } from "./load/database.ts";
import { createProgress } from "./progress.ts";
import { reconcile } from "./prove/reconcile.ts";
import { collect } from "./report/collect.ts";
import { periodOf } from "./report/period.ts";
import { terminalText } from "./terminal.ts";

/** Exit codes for scripts and schedulers. */
const BALANCED = 0;
const DISCREPANCIES = 1;
const UNTRUSTED = 2;

interface Options {
  readonly month?: string;
  readonly out?: string;
}

const command = new Command("npm run reconcile --")
  .description(
    "Proves from exports of the accounts and ledger tables that every credit is accounted for.",
  )
  .argument("<folders...>", "folders into which exports were copied: full and incremental ones")
  .option("--month <YYYY-MM>", "report on one month (UTC)", month)
  .option("--out <folder>", "write report.html, summary.json, and tables as CSV and Parquet")
  .addHelpText(
    "after",
    "\nExit codes: 0 balanced, 1 discrepancies found, 2 an export cannot be trusted.",
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

async function run(db: Database, folders: readonly string[], options: Options): Promise<number> {
  const progress = createProgress(process.stderr, () => Date.now());
  const reconciled = await reconcile(db, folders, progress.show);
  if (!reconciled.ok) {
    progress.end();
    console.error(`CANNOT BE RECONCILED\n${reconciled.problem}`);
    return UNTRUSTED;
  }
  const report = await collect(db, reconciled.value, periodOf(options.month ?? null));
  if (options.out !== undefined) {
    // Loaded only now, because the charts' library takes a while.
    const { writeFiles } = await import("./report/write-files.ts");
    await writeFiles(db, report, options.out, (done, total) =>
      progress.show("writing", done, total),
    );
  }
  progress.end();
  console.log(terminalText(report));
  return report.discrepancies === 0 ? BALANCED : DISCREPANCIES;
}

function month(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError("Not a month as in 2026-10.");
  return text;
}
