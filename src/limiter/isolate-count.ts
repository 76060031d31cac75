import { forgetOldest } from "../runtime/forget-oldest.ts";
import { GATEWAY_LIMIT, type Limit } from "./limiter.ts";

/** More names than one isolate serves in a minute; the oldest is forgotten for a new one. */
const NAMES_MAX = 10_000;

/** One isolate's own count of requests by name, in the same windows as the shared one. */
export interface IsolateCount {
  /** Counts one request. @returns whether the name is within the limit, this request included. */
  readonly count: (name: string) => boolean;
  /** Whether another request would be over the limit; counts nothing. */
  readonly isSpent: (name: string) => boolean;
  /** When the present window ends, in milliseconds since 1970. */
  readonly resetMs: () => number;
}

/** Forgets every name when a window ends. */
export function openIsolateCount(
  now: () => number,
  requests: number,
  { windowSeconds }: Limit = GATEWAY_LIMIT,
): IsolateCount {
  const windowMs = windowSeconds * 1000;
  const counts = new Map<string, number>();
  let window = 0;
  const used = (name: string) => {
    const current = Math.floor(now() / windowMs);
    if (current !== window) counts.clear();
    window = current;
    return counts.get(name) ?? 0;
  };
  return {
    count: (name) => {
      const count = used(name) + 1;
      counts.set(name, count);
      forgetOldest(counts, NAMES_MAX);
      return count <= requests;
    },
    isSpent: (name) => used(name) >= requests,
    resetMs: () => (Math.floor(now() / windowMs) + 1) * windowMs,
  };
}
