import { forgetOldest } from "../runtime/forget-oldest.ts";
import { LIMIT_WINDOW_SECONDS } from "./limiter.ts";

const WINDOW_MS = LIMIT_WINDOW_SECONDS * 1000;

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
export function openIsolateCount(now: () => number, limit: number): IsolateCount {
  const counts = new Map<string, number>();
  let window = 0;
  const used = (name: string) => {
    const current = Math.floor(now() / WINDOW_MS);
    if (current !== window) counts.clear();
    window = current;
    return counts.get(name) ?? 0;
  };
  return {
    count: (name) => {
      const count = used(name) + 1;
      counts.set(name, count);
      forgetOldest(counts, NAMES_MAX);
      return count <= limit;
    },
    isSpent: (name) => used(name) >= limit,
    resetMs: () => (Math.floor(now() / WINDOW_MS) + 1) * WINDOW_MS,
  };
}
