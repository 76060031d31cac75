import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis/cloudflare";
import { describeThrown } from "../log/scrub.ts";
import { openIsolateCount } from "./isolate-count.ts";
import type { Limit, Limiter, Verdict } from "./limiter.ts";

/** The longest time that the limiter may cost a request. */
const TIMEOUT_MS = 500;

type Shared = Pick<UpstashOptions, "url" | "token" | "limit">;

interface UpstashOptions {
  readonly url: string;
  readonly token: string;
  readonly limit: Limit;
  readonly now: () => number;
  /** Is told why the shared limiter did not answer. */
  readonly onUnreachable: (cause: string) => void;
}

/**
 * The limit that all isolates share, kept in Upstash, beside the isolate's own count.
 *
 * What the isolate alone has counted over the limit is refused without asking. While Upstash does not
 * answer within 500 ms, or answers with an error or with nonsense, the own count is all there is; it
 * holds the requests before as well, so that a slow answer does not open the limit anew.
 */
export function upstashLimiter({ now, onUnreachable, ...options }: UpstashOptions): Limiter {
  const { limit } = options;
  const shared = openShared(options);
  const own = openIsolateCount(now, limit.requests, limit);
  /** Whether the latest question was answered; until then it is taken for reachable. */
  let isReachable = true;
  const refused = (): Verdict => {
    return { allowed: false, resetMs: own.resetMs(), remaining: isReachable ? 0 : null };
  };
  return {
    refusal: (keyId) => (own.isSpent(keyId) ? refused() : null),
    count: async (keyId) => {
      if (!own.count(keyId)) return refused();
      try {
        const verdict = await ask(shared, limit, { name: keyId, resetMs: own.resetMs() });
        isReachable = true;
        return verdict;
      } catch (error) {
        isReachable = false;
        onUnreachable(describeThrown(error));
        return { allowed: true, resetMs: own.resetMs(), remaining: null };
      }
    },
  };
}

function openShared({ url, token, limit }: Shared): Ratelimit {
  const redis = new Redis({
    url,
    token,
    retry: false,
    enableTelemetry: false,
    readYourWrites: false,
    // One command per request. A pipeline would join several requests, and one would wait in
    // another's context.
    enableAutoPipelining: false,
    // Plain JSON is enough: the answer contains only numbers.
    responseEncoding: false,
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  });
  // Not the sliding window: with its default cache it lets 120, 1, 120, 1 requests through in a
  // row.
  const limiter = Ratelimit.fixedWindow(limit.requests, `${limit.windowSeconds} s`);
  // If Upstash does not know the script, the client makes two calls. Both share this limit.
  return new Ratelimit({ redis, limiter, prefix: limit.prefix, timeout: TIMEOUT_MS });
}

interface Counted {
  readonly name: string;
  readonly resetMs: number;
}

/** @throws Error where there is no answer, or one that no limiter of ours gives. */
async function ask(
  shared: Ratelimit,
  { requests }: Limit,
  { name, resetMs }: Counted,
): Promise<Verdict> {
  const { success, limit, remaining, reason } = await shared.limit(name);
  // The library would let the request through.
  if (reason === "timeout") throw new Error(`no answer in ${TIMEOUT_MS} ms`);
  // This request has taken one of the limit.
  const isSound = Number.isInteger(remaining) && remaining >= 0 && remaining < requests;
  if (limit !== requests || !isSound) throw new Error("nonsense for an answer");
  return { allowed: success, resetMs, remaining };
}
