import { formatApiKey } from "../../src/keys/api-key.ts";
import type { Bench, Findings } from "./bench.ts";
import { applyLoad } from "./load.ts";
import { startRuntime } from "./runtime.ts";
import { percentile, rounded } from "./statistics.ts";
import { calls, upstreamReply, WORKLOADS } from "./workload.ts";

/** Made by one client, each with a key of its own that is well formed and exists nowhere. */
const UNKNOWN_A_SECOND = 500;
const TICK_MS = 20;
const ADDRESS = "203.0.113.7";
const STORE_DELAY_MS = 5;

/**
 * Latency of good requests, one at a time, with a flood of unknown keys beside them and without. Calm
 * and flood take turns, so that other work on the machine meets both alike.
 */
export async function measureFlood({ stubs, service, effort }: Bench): Promise<Findings> {
  const runtime = await startRuntime({ bundle: service, vars: stubs.vars });
  const url = `${runtime.url}/v1/resolve`;
  const good = { url, call: calls(stubs, WORKLOADS.resolve), concurrency: 1, status: 200 };
  const requests = Math.ceil(effort.requests / 10);
  const calmMs: number[] = [];
  const floodedMs: number[] = [];
  const refusals = new Map<number, number>();
  try {
    await stubs.behave({ upstreamBody: upstreamReply(), storeDelayMs: STORE_DELAY_MS });
    await applyLoad({ ...good, requests: effort.warmup });
    for (let round = 0; round < effort.rounds; round++) {
      calmMs.push(...(await applyLoad({ ...good, requests })).latenciesMs);
      const stop = flood(url, refusals);
      floodedMs.push(...(await applyLoad({ ...good, requests })).latenciesMs);
      await stop();
    }
  } finally {
    await runtime.stop();
  }
  const ratio = (share: number) =>
    rounded(percentile(floodedMs, share) / percentile(calmMs, share));
  const answers = [...refusals].map(([status, count]) => `${count} × ${status}`);
  return {
    figures: { flood_p50_ratio: ratio(0.5), flood_p99_ratio: ratio(0.99) },
    lines: [["what the flood got", answers.join(", ")]],
    raw: { calmMs, floodedMs },
  };
}

/** Sends requests at a steady rate, whatever the answers, until it is stopped. */
function flood(url: string, refusals: Map<number, number>): () => Promise<void> {
  const open = new Set<Promise<void>>();
  const send = async () => {
    const key = formatApiKey(crypto.getRandomValues(new Uint8Array(32)));
    const headers = { authorization: `Bearer ${key}`, "cf-connecting-ip": ADDRESS };
    const { status, body } = await fetch(url, { method: "POST", headers, body: "{}" });
    await body?.cancel();
    refusals.set(status, (refusals.get(status) ?? 0) + 1);
  };
  const timer = setInterval(() => {
    for (let at = 0; at < (UNKNOWN_A_SECOND * TICK_MS) / 1_000; at++) {
      const sent = send().catch(() => {});
      open.add(sent);
      void sent.finally(() => open.delete(sent));
    }
  }, TICK_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all(open);
  };
}
