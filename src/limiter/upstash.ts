import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis/cloudflare";
import { isolateLimiter } from "./isolate.ts";
import { LIMIT_REQUESTS, LIMIT_WINDOW_SECONDS, type Limiter } from "./limiter.ts";

/** The limiter may cost a request this long, and no more. */
const TIMEOUT_MS = 500;

interface UpstashOptions {
  readonly url: string;
  readonly token: string;
  readonly now: () => number;
  /** Told why the shared limiter could not be asked. */
  readonly onUnreachable: (cause: string) => void;
}

/**
 * The limit that all isolates share, kept in Upstash. While that does not answer within 500 ms, or
 * answers with an error, the isolate's own count takes its place.
 */
export function upstashLimiter({ url, token, now, onUnreachable }: UpstashOptions): Limiter {
  const redis = new Redis({
    url,
    token,
    retry: false,
    enableTelemetry: false,
    readYourWrites: false,
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  });
  // The sliding window with its default cache lets 120, 1, 120, 1 requests through in a row.
  const limiter = Ratelimit.fixedWindow(LIMIT_REQUESTS, `${LIMIT_WINDOW_SECONDS} s`);
  const shared = new Ratelimit({ redis, limiter, prefix: "pmrs", timeout: TIMEOUT_MS });
  const own = isolateLimiter(now);

  return async (keyId) => {
    try {
      const answer = await shared.limit(keyId);
      if (answer.reason !== "timeout") {
        const { success: allowed, reset: resetMs, remaining } = answer;
        return { allowed, resetMs, remaining };
      }
      onUnreachable(`no answer in ${TIMEOUT_MS} ms`);
    } catch (error) {
      onUnreachable(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
    return own(keyId);
  };
}
