import type { World } from "./world.ts";

/** Something that runs by itself, with its own clock, and may die at any of its waits. */
export interface Process {
  readonly name: string;
  /** Milliseconds since 1970 as this process sees them. */
  readonly now: () => number;
  readonly kill: (why: string) => void;
  readonly isAlive: () => boolean;
  /**
   * One wait: `start` sets something going that calls back once. Neither begins nor ever ends once
   * the process is dead.
   */
  readonly wait: <T>(start: (done: (value: T) => void) => void) => Promise<T>;
  readonly sleep: (delayMs: number) => Promise<void>;
}

/** Two processes' clocks differ by 60 s at most. */
const SKEW_MAX_MS = 30_000;
const STEPS_MAX = 14;

export function createProcess(world: World, name: string): Process {
  const { random, scheduler, climate } = world;
  const skewMs = random.pick([0, random.between(-SKEW_MAX_MS, SKEW_MAX_MS)]);
  // Every wait has two steps: before what is waited for begins, and before its answer is seen.
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
