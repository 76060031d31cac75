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
 * The limit that all isolates share, kept in Upstash, beside the isolate's own count.
 *
 * What the isolate alone has counted over the limit is refused without asking. While Upstash does not
 * answer within 500 ms, or answers with an error, the own count is all there is; it holds the
 * requests before as well, so that a slow answer does not open the limit anew.
 */
export function upstashLimiter({ url, token, now, onUnreachable }: UpstashOptions): Limiter {
  const redis = new Redis({
    url,
    token,
    retry: false,
    enableTelemetry: false,
    readYourWrites: false,
    // One command a request: a pipeline of several requests' would be awaited across their contexts.
    enableAutoPipelining: false,
    // Plain JSON: the answer is numbers.
    responseEncoding: false,
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  });
  // The sliding window with its default cache lets 120, 1, 120, 1 requests through in a row.
  const limiter = Ratelimit.fixedWindow(LIMIT_REQUESTS, `${LIMIT_WINDOW_SECONDS} s`);
  // Where the script is unknown, two calls of the client share this limit.
  const shared = new Ratelimit({ redis, limiter, prefix: "pmrs", timeout: TIMEOUT_MS });
  const own = isolateLimiter(now);

  /** Whether the latest question was answered. */
  let isReachable = false;

  /** Asks; null where Upstash could not be asked. */
  const ask = async <T>(question: () => Promise<T>): Promise<T | null> => {
    try {
      const answer = await question();
      isReachable = true;
      return answer;
    } catch (error) {
      isReachable = false;
      onUnreachable(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
      return null;
    }
  };

  return async (keyId) => {
    const counted = own(keyId);
    if (!counted.allowed) {
      if (!isReachable) await ask(() => shared.getRemaining(keyId));
      return isReachable ? { ...counted, remaining: 0 } : counted;
    }
    const answer = await ask(() => limitInTime(shared, keyId));
    if (answer === null) return counted;
    const { success: allowed, reset: resetMs, remaining } = answer;
    return { allowed, resetMs, remaining };
  };
}

/** @throws Error where the library would let the request through because it got no answer. */
async function limitInTime(shared: Ratelimit, keyId: string) {
  const answer = await shared.limit(keyId);
  if (answer.reason === "timeout") throw new Error(`no answer in ${TIMEOUT_MS} ms`);
  return answer;
}
