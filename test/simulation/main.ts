import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { simulate } from "./pool.ts";

/** `npm run simulate -- --seed N --runs N [--json]`: runs the seeds from N on. */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    runs: { type: "string", default: "1000" },
    json: { type: "boolean", default: false },
  },
});

const seeds = { first: whole(values.seed), runs: whole(values.runs) };
const report = await simulate(seeds, Math.min(availableParallelism(), Math.max(1, seeds.runs)));
const { runs, requests, faults, violations } = report;

if (values.json) {
  console.log(JSON.stringify({ runs, requests, faults, violations }));
} else {
  console.log(`runs        ${runs}\nrequests    ${requests}\nfaults`);
  for (const [kind, count] of Object.entries(faults).toSorted(([, a], [, b]) => b - a)) {
    console.log(`  ${String(count).padStart(8)}  ${kind}`);
  }
  console.log(`violations  ${violations.length}`);
  for (const { seed, broken, trace } of violations.slice(0, 3)) {
    console.log(`\nseed ${seed}\n  ${broken.slice(0, 5).join("\n  ")}\n\n  ${trace.join("\n  ")}`);
  }
}
if (violations.length > 0) process.exitCode = 1;

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${text} is no whole number`);
  return Number(text);
}
