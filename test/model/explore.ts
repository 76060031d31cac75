import { broken } from "./invariants.ts";
import { type Actor, initialState, type Options, type Slot, type State } from "./state.ts";
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
  const { available, held, charged, granted, isActive, holds, pending } = account;
  const numbers = [
    available,
    held,
    charged,
    granted,
    isActive ? 1 : 0,
    pending,
    movement,
    ...holds,
  ];
  for (const record of records) numbers.push(record?.nonce ?? 0, record?.charge ?? 0);
  for (const actor of actors) addTo(numbers, actor);
  const writes = mail.map(({ kind, from, attempt, hold, slot, nonce, charge }) =>
    String.fromCharCode(STEPS.indexOf(kind), from, attempt, hold, slot, nonce, charge),
  );
  return String.fromCharCode(...numbers) + writes.toSorted().join("");
}

function addTo(numbers: number[], actor: Actor): void {
  const { next, isWaiting, attempt, rounds, hold, slot, nonce, charge, told, slots } = actor;
  numbers.push(STEPS.indexOf(next), isWaiting ? 1 : 0, attempt, rounds, hold, slot, nonce, charge);
  numbers.push(numberOf(told));
  for (const each of slots) {
    numbers.push(SLOT_STEPS.indexOf(each.next), each.attempt, each.charge, numberOf(each.told));
  }
}

function numberOf(told: number | null): number {
  return (told ?? -2) + 2;
}

const STEPS: readonly Actor["next"][] = [
  ...(["reserve", "commit", "release", "announce", "record", "conclude", "suspend"] as const),
  ...(["choose", "work", "serve", "look", "ended", "stopped"] as const),
];
const SLOT_STEPS: readonly Slot["next"][] = ["free", "commit", "known", "unknown"];
