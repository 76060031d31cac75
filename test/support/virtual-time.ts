import type { Timer } from "../../src/runtime/timer.ts";

interface Planned {
  readonly atMs: number;
  readonly ring: () => void;
}

/**
 * A clock and timers that a test moves by hand: each step goes to the next ring, however far it is.
 * What waits for no timer gets real time to end before each step.
 */
export function createVirtualTime(startMs = Date.UTC(2026, 9, 31, 12)) {
  let nowMs = startMs;
  const planned = new Set<Planned>();
  const timer: Timer = (delayMs, ring) => {
    const entry = { atMs: nowMs + delayMs, ring };
    planned.add(entry);
    return () => void planned.delete(entry);
  };
  const step = () => {
    const [next] = [...planned].toSorted((a, b) => a.atMs - b.atMs);
    if (next === undefined) return;
    planned.delete(next);
    nowMs = next.atMs;
    next.ring();
  };
  /** Steps on until the work ends. Before the first step it waits until there is a reason to. */
  const runUntil = async <T>(work: Promise<T>, isWaiting: () => boolean = () => true) => {
    let isDone = false;
    const ended = work.finally(() => {
      isDone = true;
    });
    // It may reject before this function returns it.
    ended.catch(() => {});
    while (!isDone) {
      await scheduler.wait(1);
      if (!isDone && isWaiting()) step();
    }
    return ended;
  };
  /** Lets time pass. What rings, and the promises that it settles, run in between. */
  const pass = async (durationMs: number) => {
    const endMs = nowMs + durationMs;
    await scheduler.wait(1);
    while ([...planned].some(({ atMs }) => atMs <= endMs)) {
      step();
      await scheduler.wait(1);
    }
    nowMs = endMs;
  };
  const elapsedMs = () => nowMs - startMs;
  return { now: () => nowMs, timer, runUntil, pass, elapsedMs, pending: () => planned.size };
}
