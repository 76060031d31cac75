import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { readUrl, readVariable, type Variables } from "../terminal/options.ts";

const PORT_DEFAULT = 8787;

/** The options of `npm run dev`. */
export interface DevOptions {
  readonly port: number;
  readonly samples?: boolean;
  readonly egress?: string;
  readonly fresh?: boolean;
  readonly var?: Variables;
  /** Without it, `pretty` on a terminal and `json` elsewhere. */
  readonly log?: "json" | "pretty";
}

/**
 * Reads the arguments after the script's name.
 * @throws CommanderError with the exit code, after saying what is wrong; also for `--help`
 */
export function parseDevOptions(args: readonly string[]): DevOptions {
  const command = new Command("npm run dev --")
    .description("Starts the whole service on this machine, on the loopback address only.")
    .option("--port <number>", "port to listen on; 0 for a free one", readPort, PORT_DEFAULT)
    .option("--samples", "answer upstream requests from the bundled samples")
    .option("--egress <url>", "gateway for upstream requests", readUrl)
    .option("--fresh", "forget earlier state; otherwise it is kept in .local/")
    .option("--var <NAME:VALUE>", "variable or secret of the worker; repeatable", readVariable)
    .addOption(
      new Option(
        "--log <form>",
        "form of the log; by default pretty on a terminal, json elsewhere",
      ).choices(["json", "pretty"] as const),
    )
    .allowExcessArguments(false)
    .exitOverride();
  command.parse(args, { from: "user" });
  const options = command.opts();
  if (options.samples && options.egress !== undefined) {
    command.error("error: --samples and --egress exclude each other");
  }
  return options;
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError("It is no port.");
  }
  return Number(text);
}
