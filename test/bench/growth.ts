import type { Bench, Findings } from "./bench.ts";
import { measureLoad } from "./measured-load.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import { median, percentile, rounded } from "./statistics.ts";
import { ACCOUNT, type Behaviour } from "./stubs.ts";
import { countUnits, hasJava, holdsOf } from "./units.ts";
import { calls, upstreamReply, WORKLOADS } from "./workload.ts";

const OPEN_HOLDS = [0, 10, 50, 100];
const ITEMS = [1, 4, 10, 20];
const REPLY_BYTES = [1_000, 10_000, 100_000, 900_000, 1_200_000];
const CONCURRENCIES = [1, 2, 4, 8, 16, 32, 64];

/** One setting, for example a number of items. */
interface Case {
  readonly name: string;
  readonly behaviour: Partial<Behaviour>;
  readonly status: number;
  readonly concurrency: number;
}

/** How CPU, latency and units grow with the size of a request's work. */
export async function measureGrowth(bench: Bench): Promise<Findings> {
  const { service, stubs, effort } = bench;
  const runtime = await startRuntime({ bundle: service, vars: stubs.vars });
  const lines: [string, string][] = [];
  try {
    const call = calls(stubs, WORKLOADS.resolve);
    await stubs.behave({ upstreamBody: upstreamReply() });
    const warm = { requests: effort.warmup, concurrency: 8, status: 200 };
    await measureLoad({ runtime, call }, warm);
    for (const one of cases()) lines.push([one.name, await costOf(bench, runtime, one)]);
  } finally {
    await runtime.stop();
  }
  const units = hasJava() ? await countUnits(bench, OPEN_HOLDS) : [];
  for (const { openHolds, read, write } of units) {
    lines.push([`success, ${openHolds} open holds`, `${write} write units, ${read} read units`]);
  }
  return { figures: {}, lines, raw: lines };
}

function cases(): Case[] {
  const base = { status: 200, concurrency: 8 };
  const replying = (upstreamBody: string) => ({ behaviour: { upstreamBody } });
  return [
    ...ITEMS.map((items) => ({
      ...base,
      name: `success, ${items} items`,
      ...replying(upstreamReply({ items })),
    })),
    // A reply over the source's bound of 1 MB is cut and refused.
    ...REPLY_BYTES.map((sizeBytes) => ({
      ...base,
      name: `reply of ${sizeBytes} bytes`,
      status: sizeBytes > 1_000_000 ? 502 : 200,
      ...replying(upstreamReply({ sizeBytes })),
    })),
    ...OPEN_HOLDS.map((holds) => ({
      ...base,
      name: `402, ${holds} open holds`,
      status: 402,
      behaviour: { refusal: accountWith(holds) },
    })),
    ...CONCURRENCIES.map((concurrency) => ({
      ...base,
      name: `success, ${concurrency} at once`,
      concurrency,
      ...replying(upstreamReply()),
    })),
  ];
}

async function costOf(
  { stubs, effort }: Bench,
  runtime: Runtime,
  { behaviour, status, concurrency }: Case,
): Promise<string> {
  await stubs.behave(behaviour);
  const call = calls(stubs, WORKLOADS.resolve);
  const requests = Math.ceil(effort.requests / 2);
  const { cpuMs, latenciesMs } = await measureLoad(
    { runtime, call },
    { requests, concurrency, status },
  );
  const cpu = `${rounded(cpuMs / requests)} ms CPU`;
  const p50 = `p50 ${rounded(median(latenciesMs), 1)} ms`;
  return `${cpu}, ${p50}, p99 ${rounded(percentile(latenciesMs, 0.99), 1)} ms`;
}

/** An account without credits, as a refused condition returns it. */
function accountWith(count: number): string {
  const none = { N: "0" };
  return JSON.stringify({
    account: { S: ACCOUNT },
    status: { S: "active" },
    email_verified: { BOOL: true },
    available: none,
    held: { N: String(count) },
    charged: none,
    granted: { N: String(count) },
    ...holdsOf(count),
  });
}
