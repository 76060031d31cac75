import { setInterval } from "node:timers";
import { styleText } from "node:util";
import { CommanderError } from "@commander-js/extra-typings";
import { type DevKeyOptions, workingDevKey } from "./dev-key.ts";
import { loadExamples } from "./examples.ts";
import { introduce } from "./introduction.ts";
import { type Paint, prettyLine } from "./log-line.ts";
import { type DevOptions, parseDevOptions } from "./options.ts";
import { SAMPLES_FOLDER, type Stack, startStack } from "./stack.ts";
import { StackError } from "./stack-error.ts";

const CRON_EVERY_MS = 60_000;
const LOOK_FOR_PARENT_EVERY_MS = 250;

export interface DevCommand extends Pick<DevKeyOptions, "folder" | "seed"> {
  /** The arguments after the script's name. */
  readonly args: readonly string[];
}

/**
 * `npm run dev`: starts the stack, says how to use it, and runs until it is told to stop.
 * @returns the exit code: 0 after Ctrl-C, 1 if the stack cannot start or breaks
 */
export async function runDev(command: DevCommand): Promise<number> {
  const stopping = untilTold();
  let stack: Stack | undefined;
  try {
    const options = parseDevOptions(command.args);
    stack = await start(options, command.folder);
    const { newKey, key, ...payer } = await workingDevKey({
      ...command,
      connection: stack.connection,
    });
    const examples = stack.samplesUrl === null ? null : await loadExamples(SAMPLES_FOLDER);
    const keys = { working: key, new: newKey };
    console.log(introduce({ url: stack.url, keys, examples, ...payer }));
    const cron = setInterval(() => void fireCron(stack), CRON_EVERY_MS);
    console.log(`Ready on ${stack.url}`);
    const why = await Promise.race([stopping, stack.ended.then(() => "broken" as const)]);
    clearInterval(cron);
    if (why === "broken") throw new StackError("The worker's runtime has ended unexpectedly.");
    return 0;
  } catch (error) {
    return explain(error);
  } finally {
    await stack?.stop();
  }
}

function start(options: DevOptions, folder: string): Promise<Stack> {
  return startStack({
    port: options.port,
    samples: options.samples,
    egressUrl: options.egress,
    fresh: options.fresh,
    vars: options.var,
    folder,
    redisUrl: process.env["REDIS_URL"] || undefined,
    watch: true,
    onLog: logger(options.log),
  });
}

/** For people where people look, otherwise the lines as they come. */
function logger(form: DevOptions["log"]): (line: string) => void {
  const isPretty = form === undefined ? process.stdout.isTTY : form === "pretty";
  if (!isPretty) return (line) => console.log(line);
  return (line) => console.log(prettyLine(line, new Date(), paintFor(process.stdout)));
}

/** Without colour where the stream or the environment (`NO_COLOR`) wants none. */
function paintFor(stream: NodeJS.WriteStream): Paint {
  return (format, text) => styleText(format, text, { stream });
}

/** Resolves at the first signal to stop. Ignores later ones, because it is already stopping. */
function untilTold(): Promise<"told"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => resolve("told"));
    }
    whenAbandoned(() => resolve("told"));
  });
}

/**
 * npm sends SIGTERM to the shell between it and this process, and the shell does not pass it on.
 */
function whenAbandoned(stop: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const shell = process.ppid;
  setInterval(() => process.ppid !== shell && stop(), LOOK_FOR_PARENT_EVERY_MS).unref();
}

async function fireCron(stack: Stack | undefined): Promise<void> {
  try {
    await stack?.runCron();
  } catch (error) {
    console.error(`The cron trigger failed: ${error instanceof Error ? error.message : error}`);
  }
}

/** Says what went wrong and returns the exit code. One sentence if the error is an expected one. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  console.error(error instanceof StackError ? error.message : error);
  return 1;
}
