import { createRandom, type Random } from "../../infra/finance/generate/random.ts";
import type { Engine } from "../support/memory-dynamodb/engine.ts";
import { createTestEngine } from "../support/memory-dynamodb/store.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";

/** How hostile one run is. */
export interface Climate {
  /** The chance that something goes wrong with a store call. */
  readonly faultProbability: number;
  /** The chance that a process dies on its way. */
  readonly crashProbability: number;
  /** During these times hardly any store call succeeds. Milliseconds since 1970. */
  readonly outages: readonly { readonly fromMs: number; readonly toMs: number }[];
}

/** What one run shares: time, chance, the store, and its log. */
export interface World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly engine: Engine;
  readonly climate: Climate;
  /** A number that no other call returns. */
  readonly count: () => number;
  /** Counts a fault and logs it. */
  readonly fault: (kind: string, about: string) => void;
  readonly note: (text: string) => void;
  readonly faults: ReadonlyMap<string, number>;
  readonly trace: readonly string[];
  /** The times of the engine's changes. */
  readonly changeTimesMs: () => readonly number[];
  /** Must be called after every call of the engine. */
  readonly stamp: () => void;
}

/** 2026-11-01, the end of a month in the ledger. Some runs cross it. */
const BOUNDARY_MS = Date.UTC(2026, 10, 1);

export function createWorld(seed: number): World {
  const random = createRandom(seed);
  const startMs = BOUNDARY_MS - random.pick([86_400_000, random.between(0, 200_000)]);
  const scheduler = createScheduler(startMs);
  const engine = createTestEngine();
  const faults = new Map<string, number>();
  const trace: string[] = [];
  const timesMs: number[] = [];
  let counter = 0;
  const note = (text: string) => {
    trace.push(`${((scheduler.now() - startMs) / 1000).toFixed(3)} ${text}`);
  };
  return {
    random,
    scheduler,
    engine,
    climate: createClimate(random, startMs),
    count: () => counter++,
    fault: (kind, about) => {
      faults.set(kind, (faults.get(kind) ?? 0) + 1);
      note(`${about}: ${kind}`);
    },
    note,
    faults,
    trace,
    changeTimesMs: () => timesMs,
    stamp: () => {
      while (timesMs.length < engine.changes.length) timesMs.push(scheduler.now());
    },
  };
}

function createClimate(random: Random, startMs: number): Climate {
  const outages = Array.from({ length: random.between(0, 2) }, () => {
    const fromMs = startMs + random.between(0, 300_000);
    return { fromMs, toMs: fromMs + random.between(1_000, 60_000) };
  });
  return {
    faultProbability: random.pick([0, 0.05, 0.2, 0.5]),
    crashProbability: random.pick([0, 0.1, 0.4]),
    outages,
  };
}
