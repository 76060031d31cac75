import { CommanderError } from "commander";
import type { Bench, Findings } from "./bench.ts";
import { build } from "./build.ts";
import { measureFlood } from "./flood.ts";
import { measureGrowth } from "./growth.ts";
import { measureHostile } from "./hostile.ts";
import { measureLatency } from "./latency.ts";
import { type Part, parseBenchOptions } from "./options.ts";
import { measureParsing } from "./parsing.ts";
import { measureProfile } from "./profile.ts";
import { print, save } from "./report.ts";
import { measureRequests } from "./requests.ts";
import { measureStartup } from "./startup.ts";
import { startStubs } from "./stubs.ts";
import { measureTail } from "./tail.ts";
import { measureUnits } from "./units.ts";

const MEASURES: Readonly<Record<Part, (bench: Bench) => Promise<Findings>>> = {
  bundle: async ({ service: { gzipBytes } }) => ({
    figures: { bundle_gzip_bytes: gzipBytes },
    lines: [],
    raw: gzipBytes,
  }),
  startup: measureStartup,
  requests: measureRequests,
  latency: measureLatency,
  units: measureUnits,
  parsing: measureParsing,
  hostile: measureHostile,
  tail: measureTail,
  flood: measureFlood,
  growth: measureGrowth,
  profile: measureProfile,
};

/**
 * `npm run bench`: compares the deployed form of the worker with the least that its work can cost.
 * Prints a table and writes `.local/bench.json`. Exit code 1 if something does not work. A figure
 * above its bound is reported and is no failure, because it depends on the machine.
 */
async function bench(args: readonly string[]): Promise<void> {
  if (process.platform !== "linux") throw new Error("The benchmark needs Linux: it reads /proc.");
  const { parts, effort } = parseBenchOptions(args);
  const service = await build();
  const floor = await build("test/bench/floor.ts");
  const stubs = await startStubs();
  const found = new Map<Part, Findings>();
  try {
    for (const part of parts) {
      const findings = await MEASURES[part]({ effort, stubs, service, floor });
      found.set(part, findings);
      print(part, findings);
    }
  } finally {
    await stubs.stop();
  }
  await save(found);
}

try {
  await bench(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    console.error(error);
    process.exitCode = 1;
  }
}
