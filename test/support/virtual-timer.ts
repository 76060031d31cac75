import type { Timer } from "../../src/runtime/timer.ts";

/** A timer whose time passes only on demand. */
export interface VirtualTimer {
  readonly timer: Timer;
  /** Lets time pass. What rings, and the promises that it settles, run in between. */
  readonly pass: (durationMs: number) => Promise<void>;
  /** Timers that would still ring. */
  readonly pending: () => number;
}

interface Alarm {
  readonly atMs: number;
  readonly ring: () => void;
}

export function virtualTimer(): VirtualTimer {
  let nowMs = 0;
  const alarms = new Set<Alarm>();
  const timer: Timer = (delayMs, ring) => {
    const alarm = { atMs: nowMs + delayMs, ring };
    alarms.add(alarm);
    return () => alarms.delete(alarm);
  };
  const pass = async (durationMs: number) => {
    const endMs = nowMs + durationMs;
    await settled();
    for (;;) {
      const [next] = [...alarms].toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined || next.atMs > endMs) break;
      alarms.delete(next);
      nowMs = next.atMs;
      next.ring();
      await settled();
    }
    nowMs = endMs;
  };
  return { timer, pass, pending: () => alarms.size };
}

/** After a task of the event loop, promises that need no more input are settled. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((wake) => setTimeout(wake, 0));
}
