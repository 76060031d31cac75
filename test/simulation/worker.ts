import { parentPort, workerData } from "node:worker_threads";
import * as z from "zod";
import { merge, NOTHING, reportOf } from "./report.ts";
import { runSeed } from "./run.ts";

/** One thread's share of the seeds. */
const { first, runs } = z.object({ first: z.number(), runs: z.number() }).parse(workerData);
let report = NOTHING;
for (let seed = first; seed < first + runs; seed++) {
  report = merge(report, reportOf(await runSeed(seed)));
}
parentPort?.postMessage(report);
