/** Section 8 of the specification. */
export const LIMIT_REQUESTS = 120;
export const LIMIT_WINDOW_SECONDS = 60;

/** What the limiter said about one request. */
export interface Verdict {
  readonly allowed: boolean;
  /** When the window ends, in milliseconds since 1970. */
  readonly resetMs: number;
  /** Requests left in the window; null when the shared limiter was out of reach. */
  readonly remaining: number | null;
}

export interface Limiter {
  /**
   * What this isolate alone can say: a refusal once its own count of the key is at the limit, else
   * null. Asks nobody and counts nothing.
   */
  readonly refusal: (keyId: string) => Verdict | null;
  /** Counts one request of a key. Never throws and never fails: there is always some limit. */
  readonly count: (keyId: string) => Promise<Verdict>;
}

/** Whole seconds until the window ends, at least 1. */
export function resetSeconds(verdict: Verdict, nowMs: number): number {
  return Math.max(1, Math.ceil((verdict.resetMs - nowMs) / 1000));
}

/**
 * `RateLimit` and `RateLimit-Policy` as of draft-ietf-httpapi-ratelimit-headers; the policy's
 * parameters stand on the first too, so that one header holds policy and reset. None when the
 * shared limiter was out of reach: a count of one isolate would be made up.
 */
export function rateLimitHeaders(verdict: Verdict, nowMs: number): Record<string, string> {
  if (verdict.remaining === null) return {};
  const policy = `q=${LIMIT_REQUESTS};w=${LIMIT_WINDOW_SECONDS}`;
  const state = `r=${verdict.remaining};t=${resetSeconds(verdict, nowMs)}`;
  return { RateLimit: `"default";${state};${policy}`, "RateLimit-Policy": `"default";${policy}` };
}
