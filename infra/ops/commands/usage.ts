import { Option } from "@commander-js/extra-typings";
import { ERRORS } from "../../../src/contract/errors.ts";
import { SERVICES } from "../../../src/contract/schemas.ts";
import { id, month, positive, requestId, time } from "../options.ts";
import { listUsage, showUsage, type UsagePage } from "../usage.ts";
import { monthNow, sumMonth } from "../usage-sums.ts";
import type { Program } from "./program.ts";
import { listed, run } from "./run.ts";

const OUTCOMES = ["OK", "ABANDONED", ...Object.keys(ERRORS)];

const THIRTY_DAYS_MS = 30 * 24 * 60 * 60 * 1000;

/** `usage list | show | sum`; `usage` alone is `usage sum`. */
export function usageCommands(program: Program): void {
  const usage = program
    .command("usage")
    .description("usage records of the ledger")
    .addHelpText(
      "after",
      "\nWithout a command, usage is usage sum: --account <id> --by <what> --month <month>",
    );

  usage
    .command("list")
    .description(
      "list the usage of an account, newest first; under an Idempotency-Key at the day's end",
    )
    .requiredOption("--account <id>", "id of the account", id)
    .option("--from <time>", "since when (default: 30 days ago)", time)
    .option("--to <time>", "until when (default: now)", time)
    .addOption(new Option("--service <id>", "of one service only").choices(SERVICES))
    .addOption(new Option("--outcome <code>", "of one outcome only").choices(OUTCOMES))
    .option("--limit <n>", "records a page", positive, 50)
    .option("--after <request-id>", "the next page: what the page before ended with", requestId)
    .action((options, command) => {
      const to = options.to ?? new Date();
      const from = options.from ?? new Date(to.getTime() - THIRTY_DAYS_MS);
      return run(command, {
        work: (tables) => listUsage(tables, { ...options, from, to }),
        show: (page, json) => (json ? page : pageForPeople(page)),
      });
    });

  usage
    .command("show")
    .description("show the record of one request, by the id that its client got")
    .requiredOption("--request-id <id>", "X-Request-Id of the response", requestId)
    .option("--account <id>", "its account; without it, every account is searched", id)
    .action((options, command) => run(command, { work: (tables) => showUsage(tables, options) }));

  usage
    .command("sum", { isDefault: true })
    .description("add up the usage of an account in a month; without a name, usage is this command")
    .requiredOption("--account <id>", "id of the account", id)
    .addOption(
      new Option("--by <what>", "a row for each").choices(["day", "service"]).default("day"),
    )
    .option("--month <month>", "such as 2026-10 (default: this month), in UTC", month)
    .action(({ account, by, month: wanted = monthNow() }, command) =>
      run(command, {
        work: (tables) => sumMonth(tables, { account, month: wanted, by }),
        show: listed("usage"),
      }),
    );
}

function pageForPeople({ records, next }: UsagePage) {
  if (next !== null) console.error(`More with --after ${next}`);
  return records.map(({ account_id: _, key_id: __, settled_at: ___, ...shown }) => shown);
}
