import type { Bench, Findings } from "./bench.ts";
import { applyLoad } from "./load.ts";
import { startRuntime } from "./runtime.ts";
import { median, rounded } from "./statistics.ts";
import { calls, upstreamReply, WORKLOADS } from "./workload.ts";

const DELAYS_MS = [0, 5, 20] as const;

/**
 * What the service adds to asking the platform itself, which answers at once, one request at a time,
 * with stores that take 0, 5 and 20 ms; and how many of their answers a response waits for in a row.
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
    const added = new Map<number, number[]>(DELAYS_MS.map((delayMs) => [delayMs, []]));
    for (let round = 0; round < effort.rounds; round++) {
      for (const [storeDelayMs, p50s] of added) {
        await stubs.behave({ upstreamBody: upstreamReply(), storeDelayMs });
        const through = await applyLoad({ ...load, requests });
        const direct = await applyLoad({ ...load, url: platform, requests });
        p50s.push(median(through.latenciesMs) - median(direct.latenciesMs));
      }
    }
    const p50 = (delayMs: number) => median(added.get(delayMs) ?? []);
    return {
      figures: {
        round_trips_on_path: Math.round((p50(20) - p50(0)) / 20),
        added_ms_at_0ms_p50: rounded(p50(0)),
        added_ms_at_5ms_p50: rounded(p50(5)),
        added_ms_at_20ms_p50: rounded(p50(20)),
      },
      lines: [],
      raw: Object.fromEntries(added),
    };
  } finally {
    await runtime.stop();
  }
}
