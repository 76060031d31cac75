import type { Timer } from "../runtime/timer.ts";
import { type Answer, inconclusive } from "../upstream/answer.ts";
import { PATIENCE, type Patience } from "../upstream/patience.ts";
import { type Budget, interrupted, openUpstream } from "../upstream/upstream.ts";
import type { SourceTools } from "./resolver.ts";
import type { SearchSettings } from "./settings.ts";

/** What every attempt of a search needs. */
export interface AttemptOptions {
  /** Upstream requests that all attempts may still make together. */
  readonly budget: Budget;
  readonly maxResults: number;
  /** One of them is the window: the time for all attempts together, bodies included. */
  readonly settings: SearchSettings;
  readonly fetch: typeof fetch;
  /** Aborted when the client goes away. The window ends turns separately. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly timer: Timer;
  /** The usual one if the source has none of its own. */
  readonly patience?: Patience | undefined;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * One attempt of the search: work that asks a platform. It ends after its time, or when `ending` is
 * aborted, whether or not the work heeds the signal. An exception in it is a failure like any other.
 */
export async function attempt<T>(
  limitMs: number,
  options: AttemptOptions,
  work: (tools: SourceTools) => Promise<Answer<T>>,
  ending = new AbortController(),
): Promise<Answer<T>> {
  const { signal } = ending;
  const ended = Promise.withResolvers<Answer<never>>();
  signal.addEventListener("abort", () => ended.resolve(interrupted(signal)));
  const leave = () => ending.abort(options.signal.reason);
  const stop = options.timer(Math.max(0, limitMs), () => {
    ending.abort(new DOMException("no whole answer within the window", "TimeoutError"));
  });
  if (options.signal.aborted) leave();
  options.signal.addEventListener("abort", leave);
  try {
    const { fetch, settings, budget, maxResults, now, timer, patience = PATIENCE, log } = options;
    const { USER_AGENT: userAgent, EGRESS_URL: egressUrl } = settings;
    const upstream = openUpstream({
      ...{ fetch, userAgent, egressUrl, budget, signal, timer, patience },
    });
    return await Promise.race([work({ upstream, maxResults, now, log }), ended.promise]);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return inconclusive(`exception: ${message}`);
  } finally {
    stop();
    options.signal.removeEventListener("abort", leave);
  }
}
