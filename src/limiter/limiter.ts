import type { SpentQuota } from "../contract/result.ts";

/** Section 8 of the specification. */
export const LIMIT_REQUESTS = 120;
export const LIMIT_WINDOW_SECONDS = 60;

/** So many requests of one name in each window, counted under a prefix of their own. */
export interface Limit {
  readonly requests: number;
  readonly windowSeconds: number;
  readonly prefix: string;
}

/** Requests of a key. */
export const GATEWAY_LIMIT: Limit = {
  requests: LIMIT_REQUESTS,
  windowSeconds: LIMIT_WINDOW_SECONDS,
  prefix: "pmrs",
};

/** Free repetitions under one Idempotency-Key, in a UTC day. */
export const REPLAY_LIMIT: Limit = {
  requests: 10,
  windowSeconds: 86_400,
  prefix: "pmrs:replay",
};

/** The limiter's answer about one request. */
export interface Verdict {
  readonly allowed: boolean;
  /** When the window ends, in milliseconds since 1970. */
  readonly resetMs: number;
  /** Requests left in the window. Null if the shared limiter did not answer. */
  readonly remaining: number | null;
}

export interface Limiter {
  /**
   * What this isolate alone can say: a refusal once its own count of the key is at the limit, else
   * null. Asks nobody and counts nothing.
   */
  readonly refusal: (keyId: string) => Verdict | null;
  /** Counts one request of a key. Never throws and never fails: there is always a limit. */
  readonly count: (keyId: string) => Promise<Verdict>;
}

/** Whole seconds until the window ends, at least 1. */
export function resetSeconds(verdict: Verdict, nowMs: number): number {
  return Math.max(1, Math.ceil((verdict.resetMs - nowMs) / 1000));
}

/**
 * `RateLimit` and `RateLimit-Policy`, as in draft-ietf-httpapi-ratelimit-headers. `RateLimit`
 * repeats the policy's parameters, so that one header has policy and reset. Empty if the shared
 * limiter did not answer: one isolate's count would be a guess.
 */
export function rateLimitHeaders(verdict: Verdict, nowMs: number): Record<string, string> {
  if (verdict.remaining === null) return {};
  const policy = `q=${LIMIT_REQUESTS};w=${LIMIT_WINDOW_SECONDS}`;
  const state = `r=${verdict.remaining};t=${resetSeconds(verdict, nowMs)}`;
  return { RateLimit: `"default";${state};${policy}`, "RateLimit-Policy": `"default";${policy}` };
}

/** The same two headers for another limit, of which nothing is left for so many seconds. */
export function spentHeaders({ policy, quota, unit }: SpentQuota, retryAfterSeconds: number) {
  const parameters = `q=${quota};qu="${unit}"`;
  return {
    state: `"${policy}";r=0;t=${retryAfterSeconds};${parameters}`,
    policy: `"${policy}";${parameters}`,
  };
}
