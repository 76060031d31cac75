import { Command, type CommanderError } from "@commander-js/extra-typings";

/** The operator's tool without its commands, with the options that every command has. */
export function createProgram() {
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
    )
    .exitOverride((error) => {
      // The help of a group, where a command was expected, is no sentence.
      if (error.code === "commander.help" && program.opts().json) tellInJson("Name a command.");
      process.exit(exitCodeOf(error));
    });
  // The commands are made afterwards and take this over.
  return program.configureOutput({
    outputError: (text, write) =>
      program.opts().json ? tellInJson(text.replace(/^error: /, "").trim()) : write(text),
    writeErr: (text) => {
      if (!program.opts().json) process.stderr.write(text);
    },
  });
}

export type Program = ReturnType<typeof createProgram>;

function exitCodeOf({ exitCode }: CommanderError): 0 | 2 {
  return exitCode === 0 ? 0 : 2;
}

function tellInJson(error: string): void {
  console.error(JSON.stringify({ error }));
}
