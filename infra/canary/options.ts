import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { readUrl, readVariable, type Variables } from "../terminal/options.ts";

const THRESHOLD_DEFAULT = 0.9;

/** What `npm run canary` was asked for. */
export interface CanaryOptions {
  /** The file with the list. */
  readonly urls: string;
  readonly threshold: number;
  readonly json?: boolean;
  /** File for JUnit XML. */
  readonly junit?: string;
  /** File with the earlier runs, to which this one is added. */
  readonly history?: string;
  /** Whether the beginning of each file is fetched. */
  readonly media: boolean;
  readonly mediaUrls?: boolean;
  readonly egress?: string;
  readonly var?: Variables;
}

/**
 * Reads the arguments after the script's name.
 * @throws CommanderError with the exit code, after saying what is wrong; also for `--help`
 */
export function parseCanaryOptions(args: readonly string[]): CanaryOptions {
  const command = new Command("npm run canary --")
    .description(
      "Resolves a list of URLs live, without accounts or credits, and sums up. Fetches the first " +
        "bytes of each file, as a server and as a page of another site would.",
    )
    .requiredOption("--urls <file>", "a line each: service, URL and, if it matters, items or code")
    .option("--threshold <share>", "least share of right ones", readShare, THRESHOLD_DEFAULT)
    .option("--egress <url>", "gateway for upstream requests", readUrl)
    .option("--var <NAME:VALUE>", "variable or secret of the worker; repeatable", readVariable)
    .option("--json", "print JSON")
    .option("--junit <file>", "write JUnit XML as well")
    .option("--history <file>", "add the run to this file; say since when a line is wrong")
    .option("--no-media", "fetch nothing of the files that the service returns")
    .option("--media-urls", "show whole media URLs, which are signed, not only their hosts")
    .allowExcessArguments(false)
    .exitOverride();
  command.parse(args, { from: "user" });
  return command.opts();
}

function readShare(text: string): number {
  const share = Number(text);
  if (text.trim() === "" || !(share >= 0 && share <= 1)) {
    throw new InvalidArgumentError("It is no number from 0 to 1.");
  }
  return share;
}
