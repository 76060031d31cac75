import { readdir, stat } from "node:fs/promises";
import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { readWhole } from "../../terminal/options.ts";
import { accountsNeeded, generate } from "./generate.ts";

const command = new Command("npm run --silent ledger:generate --")
  .description("Writes exports of an invented month and prints the faults planted in them as JSON.")
  .option("--records <n>", "usage records", whole, 10_000)
  .option("--accounts <n>", "accounts", whole, 500)
  .option("--seed <n>", "the same seed makes the same exports", readWhole, 1)
  .option("--faults <n>", "faults of each kind", whole, 0)
  .option("--macs", "give each record a MAC, and write their key to the file mac.key")
  .requiredOption("--to <folder>", "a folder that is empty or does not exist")
  .allowExcessArguments(false);

const wanted = command.parse().opts();
if (wanted.accounts < accountsNeeded(wanted.faults) || wanted.records < wanted.accounts) {
  command.error(
    `error: so many faults need at least ${accountsNeeded(wanted.faults)} accounts, and each account ` +
      "at least one record",
  );
}
if (await holdsSomething(wanted.to)) {
  command.error(`error: ${wanted.to} is not empty. Name a folder that is empty or does not exist`);
}
console.log(JSON.stringify(await generate(wanted), null, 2));

/** A file counts as something too. */
async function holdsSomething(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && (!found.isDirectory() || (await readdir(path)).length > 0);
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new InvalidArgumentError("A whole number of at most 9 digits.");
  return Number(text);
}
