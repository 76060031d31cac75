import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { startVitest } from "vitest/node";
import * as z from "zod";
import { readWhole } from "../../infra/terminal/options.ts";

const KINDS = ["urls", "bodies", "replies", "tenants"] as const;

const options = new Command("npm run fuzz --")
  .description("Looks for a URL, body, reply or sequence of requests that breaks a promise.")
  .option("--minutes <n>", "how long, all kinds together", minutes, 1)
  .option("--seed <n>", "the same seed gives the same cases", readWhole, 1)
  .addOption(new Option("--only <kind>", "one kind alone").choices(KINDS))
  .allowExcessArguments(false)
  // 1 means that something was found.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts();

const findingsSchema = z.object({
  name: z.enum(KINDS),
  cases: z.number(),
  outcomes: z.record(z.string(), z.number()),
  failure: z.string().nullable(),
});
type Kind = z.infer<typeof findingsSchema>["name"];

interface Total {
  cases: number;
  readonly outcomes: Record<string, number>;
  startedMs: number;
  endedMs: number;
}

const totals = new Map<Kind, Total>();
const failures: string[] = [];

const run = {
  only: options.only ?? null,
  seed: options.seed,
  milliseconds: options.minutes * 60_000,
};
console.log(`seed ${run.seed}, ${options.minutes} min, ${run.only ?? KINDS.join(", ")}`);
let lastMs = Date.now();
const vitest = await startVitest("test", [], {
  config: "test/vitest.fuzz.config.ts",
  watch: false,
  provide: { fuzz: run },
  reporters: [{ onUserConsoleLog: ({ content }) => content.split("\n").forEach(hear) }],
});
const errors = [
  ...vitest.state.getUnhandledErrors(),
  ...vitest.state.getFiles().flatMap(({ result }) => result?.errors ?? []),
];
await vitest.close();
print();
process.exit(failures.length > 0 || errors.length > 0 || totals.size === 0 ? 1 : 0);

function hear(line: string): void {
  if (!line.startsWith('{"name":')) return;
  const { name, cases, outcomes, failure } = findingsSchema.parse(JSON.parse(line));
  const nowMs = Date.now();
  const total = totals.get(name) ?? { cases: 0, outcomes: {}, startedMs: lastMs, endedMs: nowMs };
  totals.set(name, total);
  total.cases += cases;
  total.endedMs = nowMs;
  for (const [outcome, count] of Object.entries(outcomes)) {
    total.outcomes[outcome] = (total.outcomes[outcome] ?? 0) + count;
  }
  lastMs = nowMs;
  if (failure !== null) failures.push(failure);
}

function print(): void {
  for (const [name, { cases, outcomes, startedMs, endedMs }] of totals) {
    const seconds = ((endedMs - startedMs) / 1000).toFixed(0);
    console.log(`\n${name.padEnd(8)} ${cases} cases in ${seconds} s`);
    for (const [outcome, count] of Object.entries(outcomes).toSorted(([, a], [, b]) => b - a)) {
      console.log(`  ${String(count).padStart(9)}  ${outcome}`);
    }
  }
  for (const failure of failures) console.log(`\nFOUND\n${failure}`);
  for (const error of errors) console.error(error);
  console.log(`\n${failures.length} found`);
}

function minutes(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}(\.\d+)?$/.test(text) || value === 0) {
    throw new InvalidArgumentError("A number of minutes above 0.");
  }
  return value;
}
