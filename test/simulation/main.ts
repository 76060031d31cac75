import { availableParallelism } from "node:os";
import { Command, InvalidArgumentError } from "commander";
import { simulate } from "./pool.ts";

const options = new Command("npm run simulate --")
  .description("Runs the service's own code in simulated worlds, one for each seed from N on.")
  .option("--seed <n>", "the first seed; the same seed is the same run", whole, 1)
  .option("--runs <n>", "how many runs", whole, 1000)
  .option("--json", "print one object", false)
  .allowExcessArguments(false)
  // Exit code 1 means a violation.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{ readonly seed: number; readonly runs: number; readonly json: boolean }>();

const seeds = { first: options.seed, runs: options.runs };
const report = await simulate(seeds, Math.min(availableParallelism(), Math.max(1, seeds.runs)));
const { runs, requests, services, faults, violations } = report;

if (options.json) {
  console.log(JSON.stringify({ runs, requests, services, faults, violations }));
} else {
  console.log(`runs        ${runs}\nrequests    ${requests}`);
  list(services);
  console.log("faults");
  list(faults);
  console.log(`violations  ${violations.length}`);
  for (const { seed, broken, trace } of violations.slice(0, 3)) {
    console.log(`\nseed ${seed}\n  ${broken.slice(0, 5).join("\n  ")}\n\n  ${trace.join("\n  ")}`);
  }
}
if (violations.length > 0) process.exitCode = 1;

function list(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts).toSorted(([, a], [, b]) => b - a)) {
    console.log(`  ${String(count).padStart(8)}  ${name}`);
  }
}

function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError("A whole number of at most 15 digits.");
  }
  return Number(text);
}
