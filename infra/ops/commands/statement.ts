import { id, month } from "../options.ts";
import { makeStatement } from "../statement.ts";
import { monthNow } from "../usage-sums.ts";
import type { Program } from "./program.ts";
import { run } from "./run.ts";

/** `statement` */
export function statementCommand(program: Program): void {
  program
    .command("statement")
    .description("an account's month: opening, packs, usage by day and service, closing")
    .requiredOption("--account <id>", "id of the account", id)
    .option("--month <month>", "such as 2026-10 (default: this month), in UTC", month)
    .action(({ account, month: wanted = monthNow() }, command) =>
      run(command, { work: (tables) => makeStatement(tables, { account, month: wanted }) }),
    );
}
