import { accountCommands } from "./account.ts";
import { completionCommand } from "./completion.ts";
import { creditsCommands } from "./credits.ts";
import { financeCommands } from "./finance.ts";
import { keyCommands } from "./key.ts";
import { ledgerCommands } from "./ledger.ts";
import { createProgram } from "./program.ts";
import { statementCommand } from "./statement.ts";
import { storeCommands } from "./store.ts";
import { usageCommands } from "./usage.ts";

const program = createProgram();

for (const register of [
  accountCommands,
  keyCommands,
  creditsCommands,
  usageCommands,
  statementCommand,
  ledgerCommands,
  financeCommands,
  storeCommands,
  completionCommand,
]) {
  register(program);
}

await program.parseAsync();
