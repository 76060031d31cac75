import { pruned } from "./mail.ts";
import {
  type Actor,
  coverOf,
  LEASED,
  type Options,
  RESERVED,
  type Slot,
  type State,
  type Write,
} from "./state.ts";

/** What an isolate does with its lease: serves requests from it, and closes it. */

type Steps = Generator<State, void, undefined>;

/** Every step that an isolate with a lease can take by itself. */
export function* serve(state: State, at: number, options: Options): Steps {
  const actor = state.actors[at];
  if (actor === undefined) return;
  for (const [slot, { next }] of actor.slots.entries()) {
    if (next === "commit") yield lost(state, { from: at, slot }, options);
  }
  if (actor.next !== "serve") return;
  yield* issue(state, at, options);
  if (mayClose(actor, options)) yield closed(state, at, options);
}

/**
 * The next slot serves a request, if the lease has credits for it. Its outcome is free, and its record
 * is on the way at once: that covers the time of the work too.
 */
function* issue(state: State, at: number, options: Options): Steps {
  const actor = state.actors[at];
  const slot = actor?.slots.findIndex(({ next }) => next === "free") ?? -1;
  if (actor === undefined || slot === -1 || leftOf(actor) < RESERVED) return;
  for (const charge of [0, 1]) {
    const issued: Slot = { next: "commit", attempt: 0, charge, told: null };
    yield committing(state, { from: at, slot }, issued, options);
  }
}

/** The credits of a lease that no request has drawn. What was drawn and not charged is back in it. */
function leftOf({ slots }: Actor): number {
  const drawn = slots.map(({ next, charge }) => {
    if (next === "free") return 0;
    return next === "known" ? charge : RESERVED;
  });
  return LEASED - drawn.reduce((sum, one) => sum + one, 0);
}

function mayClose({ slots, attempt }: Actor, { without, attempts }: Options): boolean {
  if (attempt >= attempts) return false;
  const open = slots.filter(({ next }) => next === "commit" || next === "unknown");
  return open.length === 0 || without === "close of known outcomes";
}

/** Sends the release of the lease with the charges that are known. */
function closed(state: State, at: number, options: Options): State {
  const actor = state.actors[at];
  if (actor === undefined) return state;
  const { hold, nonce, slots, attempt } = actor;
  const charges = slots.map(({ next, charge }) => (next === "known" ? charge : 0));
  const charge = charges.reduce((sum, one) => sum + one, 0);
  const write: Write = { kind: "release", from: at, attempt, hold, slot: 0, nonce, charge };
  const closing: Actor = { ...actor, next: "release", isWaiting: true, charge };
  const actors = state.actors.with(at, closing);
  return pruned({ ...state, actors, mail: [...state.mail, write] }, options);
}

interface Place {
  readonly from: number;
  readonly slot: number;
}

function committing(state: State, place: Place, slot: Slot, options: Options): State {
  const actor = state.actors[place.from];
  if (actor === undefined) return state;
  const { hold, nonce } = actor;
  const { attempt, charge } = slot;
  const write: Write = { kind: "commit", ...place, attempt, hold, nonce, charge };
  return pruned({ ...withSlot(state, place, slot), mail: [...state.mail, write] }, options);
}

/** No answer to the record of a slot: it is sent again, or its outcome stays unknown. */
export function lost(state: State, place: Place, options: Options): State {
  const slot = state.actors[place.from]?.slots[place.slot];
  if (slot === undefined) return state;
  const attempt = slot.attempt + 1;
  if (attempt < options.attempts) return committing(state, place, { ...slot, attempt }, options);
  return pruned(withSlot(state, place, { ...slot, next: "unknown", attempt: 0 }), options);
}

/** The record of a slot decides what its client is told, whoever wrote it. */
export function settled(state: State, place: Place, options: Options): State {
  const actor = state.actors[place.from];
  const slot = actor?.slots[place.slot];
  if (actor === undefined || slot === undefined) return state;
  const record = state.records[coverOf(actor.hold, options).records[place.slot] ?? 0];
  const charge = record?.nonce === actor.nonce ? record.charge : 0;
  const told = charge > 0 && charge === slot.charge ? charge : -1;
  return pruned(withSlot(state, place, { next: "known", attempt: 0, charge, told }), options);
}

function withSlot(state: State, { from, slot: number }: Place, slot: Slot): State {
  const actor = state.actors[from];
  if (actor === undefined) return state;
  const slots = actor.slots.with(number, slot);
  return { ...state, actors: state.actors.with(from, { ...actor, slots }) };
}
