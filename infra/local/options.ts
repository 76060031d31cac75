import { Command, InvalidArgumentError } from "commander";

const PORT_DEFAULT = 8787;

/** What `npm run dev` was asked for. */
export interface DevOptions {
  readonly port: number;
  readonly samples?: boolean;
  readonly egress?: string;
  readonly fresh?: boolean;
  readonly var?: Readonly<Record<string, string>>;
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
    .option("--var <NAME:VALUE>", "variable or secret of the worker; repeatable", readVar)
    .allowExcessArguments(false)
    .exitOverride();
  command.parse(args, { from: "user" });
  const options = command.opts<DevOptions>();
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

/** For an option: an http or https URL. */
export function readUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError("It is no http or https URL.");
  }
  return text;
}

/** For a repeatable option: NAME:VALUE, the value being all behind the first colon. */
export function readVar(text: string, before: DevOptions["var"] = {}): DevOptions["var"] {
  const parts = /^([A-Za-z_]\w*):(.*)$/s.exec(text);
  if (parts === null) throw new InvalidArgumentError("It has not the form NAME:VALUE.");
  const [, name = "", value = ""] = parts;
  return { ...before, [name]: value };
}
