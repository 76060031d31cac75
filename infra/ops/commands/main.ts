import { Command } from "commander";
import { accountCommands } from "./account.ts";
import { creditsCommands } from "./credits.ts";
import { keyCommands } from "./key.ts";
import { ledgerCommands } from "./ledger.ts";
import { storeCommands } from "./store.ts";
import { usageCommands } from "./usage.ts";

const program = new Command("ops")
  .description("The operator's tool: accounts, API keys, credits and what is stored.")
  .option("--local", "address the stack that `npm run dev` started", false)
  .option("--json", "print one JSON object", false)
  .showHelpAfterError()
  .addHelpText(
    "after",
    "\nWithout --local the AWS environment variables say which tables (AWS_REGION, " +
      "AWS_ACCESS_KEY_ID, …;\nACCOUNTS_TABLE, API_KEYS_TABLE and LEDGER_TABLE where they are not " +
      "pmrs-…).\nExit codes: 0 done; 1 refused or not possible, with a sentence that says why; " +
      "2 not understood.",
  );

program.exitOverride((error) => {
  process.exit(error.exitCode === 0 ? 0 : 2);
});

for (const register of [
  accountCommands,
  keyCommands,
  creditsCommands,
  usageCommands,
  ledgerCommands,
  storeCommands,
]) {
  register(program);
}

await program.parseAsync();
