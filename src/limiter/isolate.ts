import { LIMIT_REQUESTS, LIMIT_WINDOW_SECONDS, type Verdict } from "./limiter.ts";

const WINDOW_MS = LIMIT_WINDOW_SECONDS * 1000;

/**
 * The count of one isolate alone, in the same windows as the shared one: a bound from below while
 * that answers, and the limit while it does not. Forgets every key when a window ends.
 */
export function isolateLimiter(now: () => number): (keyId: string) => Verdict {
  const counts = new Map<string, number>();
  let window = 0;
  return (keyId) => {
    const current = Math.floor(now() / WINDOW_MS);
    if (current !== window) counts.clear();
    window = current;
    const used = (counts.get(keyId) ?? 0) + 1;
    counts.set(keyId, used);
    return {
      allowed: used <= LIMIT_REQUESTS,
      resetMs: (current + 1) * WINDOW_MS,
      remaining: null,
    };
  };
}
