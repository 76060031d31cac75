import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { athenaStatements } from "./statements.ts";

const command = new Command("npm run --silent reconcile:athena --")
  .description(
    "Prints the SQL that does in Athena, over the bucket, what npm run reconcile does here.",
  )
  .requiredOption(
    "--accounts <s3-uri>",
    "of the accounts' export, as ops ledger export printed it",
    data,
  )
  .requiredOption("--ledger <s3-uri>", "of the ledger's export", data)
  .requiredOption("--at <time>", "the export's time, as its manifest says", milliseconds)
  .option("--opening-accounts <s3-uri>", "of an earlier export, to compare with", data)
  .option("--opening-ledger <s3-uri>", "of the same earlier export", data)
  .option("--opening-at <time>", "the earlier export's time", milliseconds)
  .allowExcessArguments(false);

const { accounts, ledger, at, ...earlier } = command.parse().opts();
const { openingAccounts, openingLedger, openingAt } = earlier;
const given = [openingAccounts, openingLedger, openingAt].filter((one) => one !== undefined);
if (given.length % 3 !== 0) {
  command.error("error: an earlier export is of both tables, and has a time");
}
const opening =
  openingAccounts !== undefined && openingLedger !== undefined && openingAt !== undefined
    ? { accounts: openingAccounts, ledger: openingLedger, atMs: openingAt }
    : null;
const statements = athenaStatements({ closing: { accounts, ledger }, opening, exportedMs: at });
console.log(statements.map((statement) => `${statement.trim()};`).join("\n\n"));

/** The folder of the data files within an export. */
function data(uri: string): string {
  if (!/^s3:\/\/[\w./!*()-]+$/.test(uri))
    throw new InvalidArgumentError("Not as in s3://bucket/folder.");
  return `${uri.replace(/\/(data\/?)?$/, "")}/data/`;
}

function milliseconds(text: string): number {
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) throw new InvalidArgumentError("Not as in 2026-11-01T00:10:00Z.");
  return timeMs;
}
