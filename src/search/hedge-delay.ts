import { SERVICES, type Service } from "../contract/schemas.ts";
import type { Resolver } from "./resolver.ts";
import { readServiceEntries, unusable } from "./service-entries.ts";
import type { SearchSettings } from "./settings.ts";
import type { Resolvers } from "./source-order.ts";

/** A source's place among its service's, at the moment when it is decided how long it may take. */
export interface Turn {
  readonly place: number;
  readonly resolver: Pick<Resolver, "sources" | "hedgeDelayMs">;
  readonly settings: Pick<SearchSettings, "PAID_HEDGE_DELAY_MS">;
  /** What is left of the window. */
  readonly leftMs: number;
}

/**
 * How long the source waits for a silent one before it, from the start of that one: its hedge delay,
 * but never longer than that one's equal share of what is left, so that each source is asked within
 * the window. Infinite if hedging is off.
 */
export function waitMs(turn: Turn): number {
  const { place, resolver, leftMs } = turn;
  const delayMs = hedgeDelayMs(turn);
  return delayMs === 0
    ? Number.POSITIVE_INFINITY
    : Math.min(delayMs, leftMs / (resolver.sources.length - place + 1));
}

/**
 * How long the source may take: all that is left, because the next one is asked meanwhile. Where
 * hedging of the next one is off, an equal share.
 */
export function limitMs(turn: Turn): number {
  const { place, resolver, leftMs } = turn;
  const isLast = place === resolver.sources.length - 1;
  const isHedged = isLast || hedgeDelayMs({ ...turn, place: place + 1 }) > 0;
  return isHedged ? leftMs : leftMs / (resolver.sources.length - place);
}

function hedgeDelayMs({ place, resolver, settings }: Turn): number {
  const isPaid = resolver.sources[place]?.isPaid === true;
  return isPaid ? settings.PAID_HEDGE_DELAY_MS : resolver.hedgeDelayMs;
}

const VARIABLE = "HEDGE_DELAYS";
const DELAY_MAX_MS = 120_000;

/**
 * The resolvers with the hedge delays of the variable HEDGE_DELAYS, else with their own.
 * @throws Error that says what is wrong with HEDGE_DELAYS
 */
export function setHedgeDelays(resolvers: Resolvers, delays: string | null): Resolvers {
  const read = readServiceEntries(VARIABLE, delays ?? "");
  const set: Record<Service, Resolver> = { ...resolvers };
  for (const service of SERVICES) {
    const text = read.get(service);
    if (text !== undefined) {
      set[service] = { ...resolvers[service], hedgeDelayMs: readDelayMs(service, text) };
    }
  }
  return set;
}

function readDelayMs(service: Service, text: string): number {
  const delayMs = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (delayMs <= DELAY_MAX_MS) return delayMs;
  const rule = `must be a whole number of milliseconds, at most ${DELAY_MAX_MS}`;
  throw unusable(VARIABLE, `${service}: ${rule}`);
}
