import { accountCommands } from "./account.ts";
import { creditsCommands } from "./credits.ts";
import { keyCommands } from "./key.ts";
import { ledgerCommands } from "./ledger.ts";
import { createProgram } from "./program.ts";
import { storeCommands } from "./store.ts";
import { usageCommands } from "./usage.ts";

const program = createProgram();

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
