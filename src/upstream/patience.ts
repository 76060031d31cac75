import type { Timer } from "../runtime/timer.ts";
import { type Refusal, sourceTimedOut } from "./answer.ts";

/** How long a source may be silent. */
export interface Patience {
  /** From the request to the headers of the answer, redirects included. */
  readonly firstByteMs: number;
  /**
   * A stretch in which less than 1 KiB of an unfinished body comes ends the request. Stretches follow
   * one another, so a body that falls silent in the middle of one ends with the next.
   */
  readonly betweenBytesMs: number;
}

/** For sources that answer from what they have. */
export const PATIENCE: Patience = { firstByteMs: 10_000, betweenBytesMs: 5_000 };

/** For services that ask the platform themselves before their first byte. */
export const AGENT_PATIENCE: Patience = { firstByteMs: 30_000, betweenBytesMs: 10_000 };

/** Fewer bytes in a stretch are no progress. */
const STRETCH_BYTES_MIN = 1_024;

/** What has come of an answer. */
export interface Progress {
  hasHeaders: boolean;
  sizeBytes: number;
}

/** Ends a request that is silent for too long. */
export interface Watch {
  /** Aborted at the end, so that neither the fetch nor the body goes on. */
  readonly signal: AbortSignal;
  /** Why the request was ended. Pending until then, whatever the fetch and the body do. */
  readonly ended: Promise<Refusal>;
  readonly progress: Progress;
  /** Ends the request for another reason. */
  readonly end: (reason: Refusal) => void;
  /** Leaves the request alone from now on. */
  readonly stop: () => void;
}

/** Has one timer at a time, and looks at the progress only when it rings: a chunk costs nothing. */
export function watchOver(patience: Patience, timer: Timer): Watch {
  const { promise: ended, resolve } = Promise.withResolvers<Refusal>();
  const controller = new AbortController();
  const progress = { hasHeaders: false, sizeBytes: 0 };
  const judge = judgeOf(patience, progress);
  let stop = () => {};
  const end = (reason: Refusal) => {
    stop();
    resolve(reason);
    controller.abort();
  };
  const wait = (stretchMs: number) => {
    stop = timer(stretchMs, () => {
      const next = judge(stretchMs);
      if (typeof next === "number") wait(next);
      else end(next);
    });
  };
  wait(Math.min(patience.firstByteMs, patience.betweenBytesMs));
  return { signal: controller.signal, ended, progress, end, stop: () => stop() };
}

/** Says after each stretch how long the next one is, or why there is none. */
function judgeOf({ firstByteMs, betweenBytesMs }: Patience, progress: Readonly<Progress>) {
  let waitedMs = 0;
  /** Null until a whole stretch of the body begins. */
  let beforeBytes: number | null = null;
  return (stretchMs: number): number | Refusal => {
    waitedMs += stretchMs;
    const { hasHeaders, sizeBytes } = progress;
    if (!hasHeaders) {
      if (waitedMs >= firstByteMs) return sourceTimedOut(`no answer within ${firstByteMs} ms`);
      return Math.min(firstByteMs - waitedMs, betweenBytesMs);
    }
    if (beforeBytes !== null && sizeBytes - beforeBytes < STRETCH_BYTES_MIN) {
      return sourceTimedOut(`under ${STRETCH_BYTES_MIN} bytes in ${betweenBytesMs} ms`);
    }
    beforeBytes = sizeBytes;
    return betweenBytesMs;
  };
}
