import type { Random } from "../../infra/finance/generate/random.ts";
import type { Service } from "../../src/contract/schemas.ts";
import { RESOLVERS } from "../support/resolvers.ts";
import type { Findings } from "./bench.ts";
import { rounded } from "./statistics.ts";
import { type Draw, type Outcome, searchMany } from "./tail-world.ts";

/** Answers of a healthy upstream: lognormal, half of them within 400 ms, 99 % within 1.28 s. */
const MEDIAN_MS = 400;
const SIGMA = 0.5;
const SLOW_MS = 10_000;
const NEVER = Number.POSITIVE_INFINITY;

/** What may be wrong with the upstreams of a service. */
const WEATHERS = {
  healthy,
  "1 % hanging": (random) => (random.chance(0.01) ? NEVER : healthy(random)),
  "5 % slow by 10 s": (random) => healthy(random) + (random.chance(0.05) ? SLOW_MS : 0),
  "first source dead": (random, place) => (place === 0 ? NEVER : healthy(random)),
} as const satisfies Readonly<Record<string, Draw>>;

/** One whose first source is a page and whose last one costs money; one whose first is JSON. */
const SERVICES: readonly Service[] = ["photo-feed", "short-video"];

/** One kind of weather, with hedging and without. */
interface Tail {
  readonly service: Service;
  readonly weather: string;
  readonly hedged: Outcome;
  readonly plain: Outcome;
}

/**
 * Latency of the search alone against upstreams whose answers are drawn, with hedging and without.
 * Virtual time: the figures depend on the code and the seed, not on the machine.
 */
export async function measureTail(): Promise<Findings> {
  const tails: Tail[] = [];
  for (const service of SERVICES) {
    for (const [weather, draw] of Object.entries(WEATHERS)) {
      const hedged = await searchMany(service, draw, true);
      const plain = await searchMany(service, draw, false);
      tails.push({ service, weather, hedged, plain });
    }
  }
  return { figures: figuresOf(tails), lines: tails.flatMap(linesOf), raw: tails };
}

/** Each is the worst of the services. */
function figuresOf(tails: readonly Tail[]): Record<string, number> {
  const worst = (weather: keyof typeof WEATHERS, figure: (tail: Tail) => number) =>
    Math.max(...tails.filter((tail) => tail.weather === weather).map(figure));
  const calls = ({ hedged, plain }: Tail) => hedged.callsARequest / plain.callsARequest;
  const paid = ({ hedged, plain }: Tail) => hedged.paidCallsARequest - plain.paidCallsARequest;
  const delays = ({ hedged, service }: Tail) => hedged.p999Ms / RESOLVERS[service].hedgeDelayMs;
  return {
    tail_calls_ratio: rounded(worst("healthy", calls), 4),
    tail_more_paid_calls: worst("healthy", paid),
    tail_p999_over_delay: rounded(worst("1 % hanging", delays)),
  };
}

function linesOf({ service, weather, hedged, plain }: Tail) {
  return [
    [`${service}, ${weather}`, describe(hedged)],
    [`${service}, ${weather}, not hedged`, describe(plain)],
  ] as const;
}

function describe({ p50Ms, p99Ms, p999Ms, ...rest }: Outcome): string {
  const { callsARequest, paidCallsARequest, failed } = rest;
  const times = `p50 ${p50Ms} ms, p99 ${p99Ms} ms, p99.9 ${p999Ms} ms`;
  return `${times}, ${callsARequest} calls, ${paidCallsARequest} paid, ${failed} failed`;
}

/** Box and Muller's way to a normal variable. */
function healthy(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  const normal = radius * Math.cos(2 * Math.PI * random.next());
  return MEDIAN_MS * Math.exp(SIGMA * normal);
}
