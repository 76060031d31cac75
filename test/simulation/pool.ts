import { Worker } from "node:worker_threads";
import * as z from "zod";
import { merge, NOTHING, type Report } from "./report.ts";

const reportSchema = z.object({
  runs: z.number(),
  requests: z.number(),
  services: z.record(z.string(), z.number()),
  faults: z.record(z.string(), z.number()),
  violations: z.array(
    z.object({ seed: z.number(), broken: z.array(z.string()), trace: z.array(z.string()) }),
  ),
});

export interface Seeds {
  readonly first: number;
  readonly runs: number;
}

/** Runs consecutive seeds on several threads. */
export async function simulate({ first, runs }: Seeds, threads: number): Promise<Report> {
  const shares = Array.from({ length: threads }, (_, at) => {
    const from = Math.floor((at * runs) / threads);
    const to = Math.floor(((at + 1) * runs) / threads);
    return runShare({ first: first + from, runs: to - from });
  });
  const reports = await Promise.all(shares);
  return reports.reduce(merge, NOTHING);
}

function runShare(seeds: Seeds): Promise<Report> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: seeds });
  return new Promise((resolve, reject) => {
    worker.once("message", (message: unknown) => resolve(reportSchema.parse(message)));
    worker.once("error", reject);
  });
}
