import { HOLD_GRACE_MS } from "../../../src/credits/limits.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import type { Tables } from "../../tables/tables.ts";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import { listHolds } from "../holds.ts";
import { id } from "../options.ts";
import { checkTables, createTables } from "../schema.ts";
import type { Program } from "./program.ts";
import { listed, run } from "./run.ts";

/** `holds list`, `sweep run`, `tables create | check` */
export function storeCommands(program: Program): void {
  program
    .command("holds")
    .description("credits that running requests have reserved")
    .command("list")
    .description("list the open holds")
    .option("--account <id>", "of one account only", id)
    .action((options, command) =>
      run(command, {
        work: (tables) => listHolds(tables, options.account),
        show: listed("holds"),
      }),
    );

  program
    .command("sweep")
    .description("the sweep that the cron trigger runs every minute")
    .command("run")
    .description("return the credits of expired holds now")
    .action((_, command) => run(command, { work: sweepNow }));

  const tables = program.command("tables").description("the DynamoDB tables");

  tables
    .command("create")
    .description(
      "create the missing tables of infra/template.yaml, with the administrator's credentials",
    )
    .action((_, command) => run(command, { work: createTables, show: listed("tables") }));

  tables
    .command("check")
    .description("compare the tables with infra/template.yaml; exit code 1 when they differ")
    .action((_, command) =>
      run(command, {
        work: checkTables,
        show: (found, json) => {
          const sound = found.every(({ state }) => state === "as in the template");
          if (!sound) process.exitCode = 1;
          return listed("tables")(found, json);
        },
      }),
    );
}

async function sweepNow(tables: Tables): Promise<Answer<object>> {
  try {
    return answer(
      await sweep({
        dynamo: tables.dynamo,
        accountsTable: tables.accounts,
        ledgerTable: tables.ledger,
        authenticate: tables.authenticate,
        now: () => Date.now(),
        sleep: (delayMs) => new Promise((wake) => setTimeout(wake, delayMs)),
        random: Math.random,
        nonce: () => crypto.randomUUID(),
        holdLifeMs: HOLD_GRACE_MS,
        log: () => {},
      }),
    );
  } catch (error) {
    return problem(`The sweep could not read its index: ${error}`);
  }
}
