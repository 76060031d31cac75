import type { Timer } from "../runtime/timer.ts";

/** One of several ways to the same answer. */
export interface Contender<T> {
  /**
   * Milliseconds that it waits while the one before is silent; asked for when that one starts. It
   * starts at once when that one has failed. Infinite: it starts only then.
   */
  readonly delayMs: () => number;
  /**
   * Starts it. Its outcome must come by itself, and at once when `ending` is aborted. It may abort
   * `ending` too, to stop its own work.
   */
  readonly start: (ending: AbortController) => Promise<T>;
}

export interface HedgeRules<T> {
  /** Whether an outcome makes all others needless. */
  readonly decides: (outcome: T) => boolean;
  /** Whether nothing more may be started: the client has left, or the time is up. */
  readonly isOver: () => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timer: Timer;
}

export interface Finish<T> {
  /** The outcomes that came before the end, in the order of the contenders. */
  readonly outcomes: readonly T[];
  /** The place of the one that decided. Null if none did. */
  readonly winner: number | null;
  /** The places of those that started while the one before was silent. */
  readonly hedges: readonly number[];
}

/** A contender that has started. */
interface Run<T> {
  readonly ending: AbortController;
  readonly outcome: Promise<Ended<T>>;
}

interface Ended<T> {
  readonly place: number;
  readonly outcome: T;
}

/**
 * Starts contenders in their order, the next one when the one before has failed or was silent for a
 * delay. The first outcome that decides ends it, and the others are aborted: with a `TimeoutError`
 * those that were silent for the whole delay and so were overtaken, with an `AbortError` the rest.
 */
export async function hedge<T>(
  contenders: readonly Contender<T>[],
  rules: HedgeRules<T>,
): Promise<Finish<T>> {
  const runs = new Map<number, Run<T>>();
  const outcomes = new Map<number, T>();
  const hedges: number[] = [];
  let [next, dueMs] = [0, 0];
  const startNext = () => {
    const contender = contenders[next];
    if (contender !== undefined) runs.set(next, start(contender, next));
    next += 1;
    dueMs = rules.now() + (contenders[next]?.delayMs() ?? Number.POSITIVE_INFINITY);
  };
  const finish = (winner: number | null): Finish<T> => {
    const inOrder = [...outcomes].toSorted(([a], [b]) => a - b).map(([, outcome]) => outcome);
    return { outcomes: inOrder, winner, hedges };
  };

  try {
    startNext();
    while (runs.size > 0) {
      const ended = await firstOf(runs, dueMs, rules);
      if (ended === null) {
        hedges.push(next);
        startNext();
        continue;
      }
      const { place, outcome } = ended;
      runs.delete(place);
      outcomes.set(place, outcome);
      if (rules.decides(outcome)) return finish(place);
      const isLatest = place === next - 1;
      if (isLatest && !rules.isOver()) startNext();
    }
    return finish(null);
  } finally {
    // Also after an exception: nothing may outlive the request.
    abandon(runs, hedges);
  }
}

function start<T>(contender: Contender<T>, place: number): Run<T> {
  const ending = new AbortController();
  const outcome = contender.start(ending).then((outcome) => ({ place, outcome }));
  return { ending, outcome };
}

/** The next outcome, or null when it is time for the next contender. */
async function firstOf<T>(
  runs: ReadonlyMap<number, Run<T>>,
  dueMs: number,
  { now, timer }: HedgeRules<T>,
): Promise<Ended<T> | null> {
  const outcomes = [...runs.values()].map(({ outcome }) => outcome);
  const [only, ...others] = outcomes;
  if (dueMs === Number.POSITIVE_INFINITY) {
    return only === undefined || others.length > 0 ? Promise.race(outcomes) : only;
  }
  const due = Promise.withResolvers<null>();
  const cancel = timer(Math.max(0, dueMs - now()), () => due.resolve(null));
  try {
    return await Promise.race([...outcomes, due.promise]);
  } finally {
    cancel();
  }
}

/** A run was overtaken if the one after it has not started because it failed. */
function abandon<T>(runs: ReadonlyMap<number, Run<T>>, hedges: readonly number[]): void {
  for (const [place, { ending }] of runs) {
    const isOvertaken = hedges.includes(place + 1);
    ending.abort(
      isOvertaken
        ? new DOMException("overtaken by another source", "TimeoutError")
        : new DOMException("another source was faster", "AbortError"),
    );
  }
}
