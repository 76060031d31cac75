import type { World } from "./world.ts";

/** Something that runs by itself, with its own clock. It may die at any of its waits. */
export interface Process {
  readonly name: string;
  /** This process's clock, in milliseconds since 1970. */
  readonly now: () => number;
  readonly kill: (why: string) => void;
  readonly isAlive: () => boolean;
  /**
   * One wait: `start` begins something that calls back once. After the process has died, nothing
   * begins and nothing ends.
   */
  readonly wait: <T>(start: (done: (value: T) => void) => void) => Promise<T>;
  readonly sleep: (delayMs: number) => Promise<void>;
}

/** Clocks of two processes differ by at most 60 s. */
const SKEW_MAX_MS = 30_000;
const STEPS_MAX = 14;

export function createProcess(world: World, name: string): Process {
  const { random, scheduler, climate } = world;
  const skewMs = random.pick([0, random.between(-SKEW_MAX_MS, SKEW_MAX_MS)]);
  // Every wait has two steps: before the awaited thing begins, and before its answer is seen.
  let stepsLeft = random.chance(climate.crashProbability) ? random.between(1, STEPS_MAX) : Infinity;
  let alive = true;

  const kill = (why: string) => {
    if (alive) world.fault(why, name);
    alive = false;
  };
  const step = () => {
    if (alive && --stepsLeft <= 0) kill("crash");
    return alive;
  };
  const wait: Process["wait"] = (start) =>
    new Promise((resolve) => {
      if (!step()) return;
      let isDone = false;
      start((value) => {
        if (!isDone && step()) resolve(value);
        isDone = true;
      });
    });
  return {
    name,
    now: () => scheduler.now() + skewMs,
    kill,
    isAlive: () => alive,
    wait,
    sleep: (delayMs) => wait((done) => void scheduler.after(delayMs, () => done(undefined))),
  };
}
