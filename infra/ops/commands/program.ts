import { Command } from "@commander-js/extra-typings";

/** The operator's tool without its commands, with the options that every command has. */
export function createProgram() {
  return new Command("ops")
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
}

export type Program = ReturnType<typeof createProgram>;
