import * as z from "zod";
import { type Service, serviceSchema } from "../../src/contract.ts";
import type { Bench, Findings } from "./bench.ts";
import { build } from "./build.ts";
import { threadsCpuMs } from "./processor-time.ts";
import { type Recording, readRecordings } from "./recordings.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import { median, rounded } from "./statistics.ts";

/** Bytes that one turn reads, within so many repetitions. */
const BYTES_A_TURN = 20_000_000;
const TIMES_MIN = 20;
const TIMES_MAX = 300;

const sourcesSchema = z.array(z.object({ service: serviceSchema, sources: z.array(z.string()) }));
const outcomeSchema = z.object({ requests: z.number(), isFound: z.boolean() });

interface Cost {
  readonly source: string;
  readonly sizeBytes: number;
  readonly parseMs: number;
  readonly readMs: number;
  readonly ratio: number;
}

/**
 * CPU of each source on the largest recording that it finds media in, against only reading as many
 * bytes by the same bounded fetch. Sources that no recording suits are left out.
 */
export async function measureParsing({ stubs, effort }: Bench): Promise<Findings> {
  const bundle = await build("test/bench/parsing-worker.ts");
  const runtime = await startRuntime({ bundle, vars: stubs.vars });
  const recordings = await readRecordings();
  const costs: Cost[] = [];
  try {
    const sources = sourcesSchema.parse(await (await fetch(runtime.url)).json());
    const pairs = sources.flatMap(({ service, sources: names }) =>
      names.map((name) => ({ service, name })),
    );
    for (const { service, name } of pairs) {
      const own = recordings.filter((recording) => recording.service === service);
      for (const recording of own) {
        await stubs.behave({ upstreamBody: recording.body });
        const cost = await costOf(runtime, { service, name, recording, rounds: effort.rounds });
        if (cost === null) continue;
        costs.push(cost);
        break;
      }
    }
  } finally {
    await runtime.stop();
  }
  return {
    figures: { parse_ratio_max: Math.max(...costs.map(({ ratio }) => ratio)) },
    lines: costs.map(({ source, sizeBytes, parseMs, readMs, ratio }) => [
      source,
      `${rounded(ratio)} (${rounded(parseMs)} ms to ${rounded(readMs)} ms, ${sizeBytes} bytes)`,
    ]),
    raw: costs,
  };
}

interface Subject {
  readonly service: Service;
  readonly name: string;
  readonly recording: Recording;
  readonly rounds: number;
}

/** Null where the source finds nothing in the recording. */
async function costOf(
  { url, pid }: Runtime,
  { service, name, recording, rounds }: Subject,
): Promise<Cost | null> {
  const sizeBytes = Buffer.byteLength(recording.body);
  const times = Math.min(TIMES_MAX, Math.max(TIMES_MIN, Math.floor(BYTES_A_TURN / sizeBytes)));
  const run = async (reads: number | null, repetitions: number) => {
    const beforeMs = await threadsCpuMs(pid);
    const task = { service, source: name, postUrl: recording.postUrl, times: repetitions, reads };
    const reply = await fetch(url, { method: "POST", body: JSON.stringify(task) });
    const outcome = outcomeSchema.parse(await reply.json());
    return { ...outcome, cpuMs: ((await threadsCpuMs(pid)) - beforeMs) / repetitions };
  };
  const { isFound, requests } = await run(null, 1);
  if (!isFound) return null;
  const parses: number[] = [];
  const reads: number[] = [];
  await run(null, times);
  await run(requests, times);
  for (let round = 0; round < rounds; round++) {
    parses.push((await run(null, times)).cpuMs);
    reads.push((await run(requests, times)).cpuMs);
  }
  const ratios = parses.map((parse, at) => parse / (reads[at] ?? Number.NaN));
  return {
    source: `${service} ${name}`,
    sizeBytes,
    parseMs: median(parses),
    readMs: median(reads),
    ratio: rounded(median(ratios)),
  };
}
