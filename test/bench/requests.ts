import type { Bench, Findings } from "./bench.ts";
import { type MeasuredLoad, measureLoad, type Subject } from "./measured-load.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import { median, percentile, rounded } from "./statistics.ts";
import { calls, upstreamReply, WORKLOADS, type Workload } from "./workload.ts";

const CONCURRENCY = 8;
const CONCURRENCY_HIGH = 32;
const LOADS_A_ROUND = 10;
/** Times of stores close to the worker, and of a fast platform. */
const DELAYS = { storeDelayMs: 5, upstreamDelayMs: 100 };
const NO_DELAYS = { storeDelayMs: 0, upstreamDelayMs: 0 };

interface Round {
  readonly cpuMs: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number;
}

interface Pair {
  readonly service: readonly Round[];
  readonly floor: readonly Round[];
}

/** CPU, throughput, latency and memory of the service and of the floor, which take turns. */
export async function measureRequests(bench: Bench): Promise<Findings> {
  const { stubs } = bench;
  const { vars } = stubs;
  await stubs.behave({ upstreamBody: upstreamReply() });
  const service = await startRuntime({ bundle: bench.service, vars });
  const floor = await startRuntime({ bundle: bench.floor, vars });
  try {
    const compare = async (workload: Workload) => {
      const call = calls(stubs, workload);
      const ours = { runtime: service, call };
      const least = { runtime: floor, call };
      return alternate(bench, workload, { ours, least });
    };
    const resolved = await compare(WORKLOADS.resolve);
    const refused = await compare(WORKLOADS.refuse);
    const delayed = await crowd(bench, { service, floor }, DELAYS);
    const saturated = await crowd(bench, { service, floor }, NO_DELAYS);
    const subrequests = {
      resolve: await countSubrequests(bench, service, WORKLOADS.resolve),
      refuse: await countSubrequests(bench, service, WORKLOADS.refuse),
      mistype: await countSubrequests(bench, service, WORKLOADS.mistype),
    };
    if (subrequests.mistype !== 0) throw new Error("a malformed key made a subrequest");
    return {
      figures: {
        cpu_ratio: ratio(resolved),
        cpu_ratio_400: ratio(refused),
        subrequests: subrequests.resolve,
        subrequests_400: subrequests.refuse,
        subrequests_401: subrequests.mistype,
        p99_over_p50_at_32: tailRatio(saturated.service),
        p99_over_p50_at_32_with_delays: tailRatio(delayed.service),
      },
      lines: [
        ...describe("success", resolved),
        ...describe("400", refused),
        ...describe("success, 32 at once", saturated),
        ...describe("success, 32 at once, with delays", delayed),
        ["p99 over p50, floor, 32 at once", `${tailRatio(saturated.floor)}`],
        ["p99 over p50, floor, 32 at once, with delays", `${tailRatio(delayed.floor)}`],
      ],
      raw: { resolved, refused, saturated, delayed },
    };
  } finally {
    await Promise.all([service.stop(), floor.stop()]);
  }
}

/** Alternates the two within a round as well, so that other work on the machine meets both alike. */
async function alternate(
  { effort }: Bench,
  { status }: Workload,
  { ours, least }: { ours: Subject; least: Subject },
): Promise<Pair> {
  const options = { status, concurrency: CONCURRENCY };
  for (const subject of [ours, least]) {
    await measureLoad(subject, { ...options, requests: effort.warmup });
  }
  const requests = Math.ceil(effort.requests / LOADS_A_ROUND);
  const service: Round[] = [];
  const floor: Round[] = [];
  for (let index = 0; index < effort.rounds; index++) {
    const loads: { ours: MeasuredLoad[]; least: MeasuredLoad[] } = { ours: [], least: [] };
    for (let at = 0; at < LOADS_A_ROUND; at++) {
      loads.ours.push(await measureLoad(ours, { ...options, requests }));
      loads.least.push(await measureLoad(least, { ...options, requests }));
    }
    service.push(summed(loads.ours));
    floor.push(summed(loads.least));
  }
  return { service, floor };
}

/**
 * Many requests at once. If no backend takes time, the process is saturated, and p50 is the wait
 * for its CPU. About every 2,000 requests the process stops for about 100 ms to collect garbage,
 * and so does the floor. All running requests wait for it. So there is one round of all requests,
 * with the stops in it.
 */
async function crowd(
  { effort, stubs }: Bench,
  runtimes: { service: Runtime; floor: Runtime },
  delays: typeof DELAYS,
): Promise<Pair> {
  await stubs.behave({ upstreamBody: upstreamReply(), ...delays });
  const call = calls(stubs, WORKLOADS.resolve);
  const requests = effort.requests * effort.rounds;
  const options = { requests, concurrency: CONCURRENCY_HIGH, status: 200 };
  const service = summed([await measureLoad({ runtime: runtimes.service, call }, options)]);
  const floor = summed([await measureLoad({ runtime: runtimes.floor, call }, options)]);
  return { service: [service], floor: [floor] };
}

function tailRatio([all]: readonly Round[]): number {
  return all === undefined ? Number.NaN : rounded(all.p99Ms / all.p50Ms);
}

function summed(loads: readonly MeasuredLoad[]): Round {
  const latenciesMs = loads.flatMap((one) => one.latenciesMs);
  const sum = (read: (load: MeasuredLoad) => number) =>
    loads.reduce((all, one) => all + read(one), 0);
  return {
    cpuMs: sum(({ cpuMs }) => cpuMs) / sum(({ requests }) => requests),
    requestsPerSecond: (sum(({ requests }) => requests) * 1000) / sum(({ elapsedMs }) => elapsedMs),
    p50Ms: median(latenciesMs),
    p99Ms: percentile(latenciesMs, 0.99),
    residentMb: Math.max(...loads.map((one) => one.residentBytes)) / 1e6,
  };
}

/** A release may run after its response, so the count is read when it no longer changes. */
async function countSubrequests(
  { stubs }: Bench,
  runtime: Runtime,
  workload: Workload,
): Promise<number> {
  const requests = 20;
  const total = async () => {
    const counts = Object.values(await stubs.requests());
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const before = await total();
  const call = calls(stubs, workload);
  await measureLoad({ runtime, call }, { requests, concurrency: 1, status: workload.status });
  let after = await total();
  for (let seen = -1; seen !== after; after = await total()) {
    seen = after;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  return (after - before) / requests;
}

/** The median over the rounds. Disturbances of a round affect both of its parts. */
function ratio({ service, floor }: Pair): number {
  return rounded(median(service.map(({ cpuMs }, at) => cpuMs / (floor[at]?.cpuMs ?? Number.NaN))));
}

function describe(name: string, { service, floor }: Pair) {
  return [
    [`${name}, service`, shown(service)],
    [`${name}, floor`, shown(floor)],
  ] as const;
}

function shown(rounds: readonly Round[]): string {
  const middle = (read: (round: Round) => number) => median(rounds.map(read));
  const cpu = `${rounded(middle(({ cpuMs }) => cpuMs))} ms CPU`;
  const speed = `${rounded(
    middle(({ requestsPerSecond }) => requestsPerSecond),
    0,
  )}/s`;
  const p50 = `p50 ${rounded(
    middle(({ p50Ms }) => p50Ms),
    1,
  )} ms`;
  const p99 = `p99 ${rounded(
    middle(({ p99Ms }) => p99Ms),
    1,
  )} ms`;
  return [
    cpu,
    speed,
    p50,
    p99,
    `${rounded(
      middle((one) => one.residentMb),
      0,
    )} MB`,
  ].join(", ");
}
