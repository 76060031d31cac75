import { id, positive, requestId, service, time } from "../options.ts";
import { listUsage, showUsage, type UsagePage } from "../usage.ts";
import type { Program } from "./program.ts";
import { run } from "./run.ts";

const THIRTY_DAYS_MS = 30 * 24 * 60 * 60 * 1000;

/** `usage list | show` */
export function usageCommands(program: Program): void {
  const usage = program.command("usage").description("usage records of the ledger");

  usage
    .command("list")
    .description(
      "list the usage of an account, newest first; under an Idempotency-Key at the day's end",
    )
    .requiredOption("--account <id>", "id of the account", id)
    .option("--from <time>", "since when (default: 30 days ago)", time)
    .option("--to <time>", "until when (default: now)", time)
    .option("--service <id>", "of one service only", service)
    .option("--outcome <code>", "OK, ABANDONED or an error code only")
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
}

function pageForPeople({ records, next }: UsagePage) {
  if (next !== null) console.error(`More with --after ${next}`);
  return records.map(({ account_id: _, key_id: __, settled_at: ___, ...shown }) => shown);
}
