import { Command, InvalidArgumentError } from "@commander-js/extra-typings";

/** What the command line of `npm run reconcile` says. */
export interface Options {
  readonly month?: string;
  readonly out?: string;
  readonly keys?: string;
  readonly opening: boolean;
  readonly macKey?: string;
  readonly macSince?: number;
  readonly sealKey?: string;
  readonly previous?: string;
  readonly prices?: string;
  readonly statements?: true;
  readonly account?: string[];
  readonly withEmails?: string;
}

export const command = new Command("npm run reconcile --")
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
  .option("--prices <file>", "value the credits: sales, revenue, journal (prices.example.toml)")
  .option("--statements", "write a statement for each customer of the month into --out")
  .option("--account <id...>", "write statements for these accounts alone into --out")
  .option("--with-emails <file>", "put emails beside accounts, from ops --json account list")
  .addHelpText(
    "after",
    "\nExit codes: 0 balanced, 1 discrepancies found, 2 an export cannot be trusted,\n" +
      "3 balanced, but without an export from the beginning to compare with.",
  )
  .showHelpAfterError()
  .exitOverride();

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
