import type { Bench, Findings } from "./bench.ts";
import { applyLoad } from "./load.ts";
import { startRuntime } from "./runtime.ts";
import { median, rounded } from "./statistics.ts";
import { calls, upstreamReply, WORKLOADS } from "./workload.ts";

const DELAYS_MS = [0, 5, 20] as const;

/**
 * How much latency the service adds to asking the platform itself. The platform answers at once,
 * the stores take 0, 5 and 20 ms, and one request runs at a time. It also counts how many of the
 * stores' answers a response waits for in a row.
 */
export async function measureLatency({ stubs, service, effort }: Bench): Promise<Findings> {
  const runtime = await startRuntime({ bundle: service, vars: stubs.vars });
  const call = calls(stubs, WORKLOADS.resolve);
  const platform = stubs.vars["EGRESS_URL"] ?? "";
  const load = { url: `${runtime.url}/v1/resolve`, call, concurrency: 1, status: 200 };
  try {
    await stubs.behave({ upstreamBody: upstreamReply() });
    await applyLoad({ ...load, requests: effort.warmup });
    const requests = Math.ceil(effort.requests / 15);
    const p50s = new Map<number, P50s[]>(DELAYS_MS.map((delayMs) => [delayMs, []]));
    for (let round = 0; round < effort.rounds; round++) {
      for (const [storeDelayMs, found] of p50s) {
        await stubs.behave({ upstreamBody: upstreamReply(), storeDelayMs });
        const through = await applyLoad({ ...load, requests });
        const direct = await applyLoad({ ...load, url: platform, requests });
        found.push({
          throughMs: median(through.latenciesMs),
          directMs: median(direct.latenciesMs),
        });
      }
    }
    const middle = (delayMs: number, read: (one: P50s) => number) =>
      median((p50s.get(delayMs) ?? []).map(read));
    const added = (delayMs: number) => middle(delayMs, (one) => one.throughMs - one.directMs);
    return {
      figures: {
        round_trips_on_path: Math.round((added(20) - added(0)) / 20),
        added_ms_at_0ms_p50: rounded(added(0)),
        added_ms_at_5ms_p50: rounded(added(5)),
        added_ms_at_20ms_p50: rounded(added(20)),
        whole_ms_at_5ms_p50: rounded(middle(5, ({ throughMs }) => throughMs)),
      },
      lines: [],
      raw: Object.fromEntries(p50s),
    };
  } finally {
    await runtime.stop();
  }
}

/** Results of one round: asking the service, and asking the platform itself. */
interface P50s {
  readonly throughMs: number;
  readonly directMs: number;
}
