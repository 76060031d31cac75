import { Command, Option } from "commander";

/** The parts that can be measured separately, in order. */
export const PARTS = [
  "bundle",
  "startup",
  "requests",
  "latency",
  "units",
  "parsing",
  "hostile",
  "tail",
  "flood",
  "growth",
  "profile",
] as const;
export type Part = (typeof PARTS)[number];

/** These parts take long or have no bounds. They run only on request. */
const ON_REQUEST: readonly Part[] = ["hostile", "flood", "growth", "profile"];

/** How much is measured. */
export interface Effort {
  readonly rounds: number;
  /** Requests that warm a process up, and requests of one round. */
  readonly warmup: number;
  readonly requests: number;
}

/** Enough for medians that two runs agree on, even on a busy machine. */
const FULL: Effort = { rounds: 5, warmup: 2_000, requests: 1_500 };
/** Proves only that the benchmark works. Its figures mean nothing. */
const QUICK: Effort = { rounds: 1, warmup: 20, requests: 400 };

export interface BenchOptions {
  readonly parts: readonly Part[];
  readonly effort: Effort;
}

/**
 * Reads the arguments after the script's name.
 * @throws CommanderError with the exit code, after saying what is wrong; also for `--help`
 */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const command = new Command("npm run bench --")
    .description("Measures the worker against the least that the same work can cost.")
    .addOption(new Option("--only <part...>", "measure these alone").choices(PARTS))
    .option("--quick", "only show that the benchmark works")
    .allowExcessArguments(false)
    .exitOverride();
  command.parse(args, { from: "user" });
  const { only, quick } = command.opts<{ only?: Part[]; quick?: boolean }>();
  const parts = PARTS.filter((part) => only?.includes(part) ?? !ON_REQUEST.includes(part));
  return { parts, effort: quick ? QUICK : FULL };
}
