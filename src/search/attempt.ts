import type { Config } from "../config/config.ts";
import { failed, type Result } from "../contract/result.ts";
import { interrupted, openUpstream } from "../upstream/upstream.ts";
import type { SourceTools } from "./resolver.ts";

/** Rings once, after the delay. @returns what keeps it from ringing. */
export type Timer = (delayMs: number, ring: () => void) => () => void;

/** What every turn of a search is taken with. */
export interface TurnOptions {
  /** Among them the window: all that the turns may take together, bodies included. */
  readonly settings: Config;
  readonly fetch: typeof fetch;
  /** Aborted when the client has left; the window is kept beside it. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly timer: Timer;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * One turn of the search: work that asks a platform. It ends with its share of the window, whether
 * or not the work heeds the signal, and an exception in it is a failure like any other.
 */
export async function takeTurn<T>(
  shareMs: number,
  options: TurnOptions,
  work: (tools: SourceTools) => Promise<Result<T>>,
): Promise<Result<T>> {
  const turn = new AbortController();
  const ended = Promise.withResolvers<Result<never>>();
  const end = (reason: unknown) => {
    turn.abort(reason);
    ended.resolve(interrupted(turn.signal));
  };
  const leave = () => end(options.signal.reason);
  const stop = options.timer(Math.max(0, shareMs), () => {
    end(new DOMException("the source's share has elapsed", "TimeoutError"));
  });
  if (options.signal.aborted) leave();
  options.signal.addEventListener("abort", leave);
  try {
    const { fetch, settings, now, log } = options;
    const { USER_AGENT: userAgent, EGRESS_URL: egressUrl } = settings;
    const upstream = openUpstream({ fetch, userAgent, egressUrl, signal: turn.signal });
    return await Promise.race([work({ upstream, settings, now, log }), ended.promise]);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return failed("UPSTREAM_ERROR", `exception: ${message}`);
  } finally {
    stop();
    options.signal.removeEventListener("abort", leave);
  }
}
