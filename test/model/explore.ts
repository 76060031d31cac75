import { broken } from "./invariants.ts";
import { type Actor, initialState, type Options, type State } from "./state.ts";
import { begin, stepsFrom } from "./steps.ts";

export interface Explored {
  readonly states: number;
  /** The first state that breaks something, and how many steps lead to it; null when none does. */
  readonly violation: {
    readonly broken: string;
    readonly steps: number;
    readonly state: State;
  } | null;
}

/**
 * Visits every reachable state, nearest first, until one breaks an invariant.
 * @param judge says which invariant a state breaks, or null
 */
export function explore(
  options: Options,
  judge: (state: State, options: Options) => string | null = broken,
): Explored {
  const first = begin(initialState(options), options);
  const seen = new Set([keyOf(first)]);
  let layer = [first];
  for (let steps = 0; layer.length > 0; steps++) {
    for (const state of layer) {
      const bad = judge(state, options);
      if (bad !== null) return { states: seen.size, violation: { broken: bad, steps, state } };
    }
    layer = unseen(layer, seen, options);
  }
  return { states: seen.size, violation: null };
}

/** The states that one step reaches for the first time. */
function unseen(layer: readonly State[], seen: Set<string>, options: Options): State[] {
  const found: State[] = [];
  for (const state of layer) {
    for (const next of stepsFrom(state, options)) {
      const key = keyOf(next);
      if (!seen.has(key)) found.push(next);
      seen.add(key);
    }
  }
  return found;
}

/** Two states with the same writes in flight are equal, whatever the order of the writes. */
function keyOf({ account, records, movement, actors, mail }: State): string {
  const { available, held, charged, granted, holds, pending } = account;
  const numbers = [available, held, charged, granted, pending, movement, ...holds];
  for (const record of records) numbers.push(record?.nonce ?? 0, record?.charge ?? 0);
  for (const { next, isWaiting, attempt, rounds, request, nonce, charge, told } of actors) {
    numbers.push(STEPS.indexOf(next), isWaiting ? 1 : 0, attempt, rounds, request, nonce, charge);
    numbers.push((told ?? -2) + 2);
  }
  const writes = mail.map(({ kind, from, attempt, request, nonce, charge }) =>
    String.fromCharCode(STEPS.indexOf(kind), from, attempt, request, nonce, charge),
  );
  return String.fromCharCode(...numbers) + writes.toSorted().join("");
}

const STEPS: readonly Actor["next"][] = [
  ...(["reserve", "commit", "release", "announce", "record", "conclude"] as const),
  ...(["choose", "work", "look", "ended", "stopped"] as const),
];
