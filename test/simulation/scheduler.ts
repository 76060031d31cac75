import { setImmediate } from "node:timers/promises";

/** Simulated time. Events happen in the order of their times. */
export interface Scheduler {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Returns a function that cancels it. */
  readonly after: (delayMs: number, action: () => void) => () => void;
  /** Runs until no event is left. */
  readonly drain: () => Promise<void>;
  /** Lets time pass in which no event is scheduled. */
  readonly pass: (durationMs: number) => void;
}

interface Planned {
  readonly atMs: number;
  readonly order: number;
  readonly action: () => void;
}

export function createScheduler(startMs: number): Scheduler {
  let nowMs = startMs;
  let order = 0;
  const heap: Planned[] = [];
  const cancelled = new Set<Planned>();

  return {
    now: () => nowMs,
    after: (delayMs, action) => {
      const planned = { atMs: nowMs + Math.max(0, Math.ceil(delayMs)), order: order++, action };
      push(heap, planned);
      return () => void cancelled.add(planned);
    },
    drain: async () => {
      await setImmediate();
      for (let planned = pop(heap); planned !== undefined; planned = pop(heap)) {
        if (cancelled.delete(planned)) continue;
        nowMs = planned.atMs;
        planned.action();
        // Everything that the action starts runs to its next wait before time goes on.
        await setImmediate();
      }
    },
    pass: (durationMs) => {
      nowMs += durationMs;
    },
  };
}

function isBefore(a: Planned, b: Planned): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** Adds to a binary heap: each entry comes before the two at twice its index. */
function push(heap: Planned[], planned: Planned): void {
  let at = heap.length;
  while (at > 0) {
    const parentAt = (at - 1) >> 1;
    const parent = heap[parentAt];
    if (parent === undefined || isBefore(parent, planned)) break;
    heap[at] = parent;
    at = parentAt;
  }
  heap[at] = planned;
}

function pop(heap: Planned[]): Planned | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const child = earlierChild(heap, at);
    const planned = heap[child];
    if (planned === undefined || isBefore(last, planned)) break;
    heap[at] = planned;
    at = child;
  }
  heap[at] = last;
  return first;
}

/** The place of the earlier one of the two entries after this one; there may be none. */
function earlierChild(heap: readonly Planned[], at: number): number {
  const left = heap[2 * at + 1];
  const right = heap[2 * at + 2];
  const isRight = left !== undefined && right !== undefined && isBefore(right, left);
  return 2 * at + (isRight ? 2 : 1);
}
