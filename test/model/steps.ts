import { lost, serve, settled } from "./lease.ts";
import { isAwaited, pruned } from "./mail.ts";
import {
  type Actor,
  coverOf,
  GRANT,
  type Kind,
  leaseOf,
  type Options,
  REPLAYED,
  type State,
  senderOf,
  type Write,
} from "./state.ts";
import { type Answer, apply } from "./store.ts";

/** Every state that any actor can reach in one step. */
export function* stepsFrom(state: State, options: Options): Steps {
  for (const [at, actor] of state.actors.entries()) {
    if (actor.isWaiting) yield* enter(state, at, givenUp(actor, options), options);
    else if (actor.next === "look") yield* look(state, at, options);
    else if (actor.next === "choose") yield* choose(state, at, options);
    if (actor.role === "isolate") yield* serve(state, at, options);
  }
  for (const write of state.mail) yield* deliver(state, write, options);
}

/** All actors as they begin. */
export function begin(state: State, options: Options): State {
  let begun = state;
  for (const [at, actor] of state.actors.entries()) {
    for (const next of enter(begun, at, actor, options)) begun = next;
  }
  return begun;
}

type Steps = Generator<State, void, undefined>;

function* deliver(state: State, write: Write, options: Options): Steps {
  const mail = state.mail.filter((other) => other !== write);
  const [landed, answer] = apply({ ...state, mail }, write, options);
  const { from } = write;
  const sender = state.actors[from];
  if (sender === undefined || !isAwaited(sender, write)) return yield pruned(landed, options);
  if (sender.role === "isolate" && write.kind === "commit") {
    yield lost(landed, write, options);
    return yield settled(landed, write, options);
  }
  // The reply is lost, or it arrives.
  yield* enter(landed, from, givenUp(sender, options), options);
  yield* enter(landed, from, answered(landed, sender, { answer, options }), options);
}

/** No answer in time: the write is in flight, was lost, or has landed. */
function givenUp(actor: Actor, { attempts, without }: Options): Actor {
  const attempt = actor.attempt + 1;
  const next = attempt < attempts ? actor.next : "stopped";
  const given = { ...actor, isWaiting: false, attempt, next };
  const goesOn = actor.role === "isolate" && actor.next === "release";
  return goesOn && without === "no slot after the close" ? { ...given, next: "serve" } : given;
}

/**
 * Reads the records under the key. What it has read may be old before it reserves. A success is
 * repeated; after a failure, or nothing, the next id is taken.
 */
function* choose(state: State, at: number, options: Options): Steps {
  const actor = state.actors[at];
  if (actor === undefined) return;
  const { records } = state;
  const ended = records.findLastIndex((record) => record !== null);
  const isPaid = (records[ended]?.charge ?? 0) > 0;
  const hold = options.without === "id from the records" ? actor.hold : ended + 1;
  if (isPaid) yield* enter(state, at, { ...actor, next: "ended", told: REPLAYED }, options);
  else if (hold >= options.requests)
    yield* enter(state, at, { ...actor, next: "stopped" }, options);
  else yield* enter(state, at, { ...actor, next: "reserve", hold }, options);
}

/** Any open hold may have expired, because no clock is trusted. */
function* look(state: State, at: number, options: Options): Steps {
  const actor = state.actors[at];
  for (const [hold, nonce] of state.account.holds.entries()) {
    if (actor === undefined || nonce === 0) continue;
    const rounds = actor.rounds - 1;
    const taken: Actor = {
      ...actor,
      next: "commit",
      hold,
      slot: 0,
      nonce,
      charge: 0,
      rounds,
      attempt: 0,
    };
    yield* enter(state, at, taken, options);
  }
}

/**
 * An actor reaches its next step. Its write is in flight at once. The write may land at any time or
 * never, so this covers a delay before sending too.
 */
function* enter(state: State, at: number, actor: Actor, options: Options): Steps {
  if (actor.next === "work") {
    const next = options.without === "record before release" ? "release" : "commit";
    for (const charge of [0, 1]) yield* enter(state, at, { ...actor, next, charge }, options);
  } else {
    const { next } = actor;
    yield pruned(
      isKind(next) ? sent(state, at, { ...actor, next }, options) : rested(state, at, actor),
      options,
    );
  }
}

function sent(state: State, at: number, actor: Actor & { next: Kind }, options: Options): State {
  const { next: kind, attempt, slot } = actor;
  // A sweep's records charge nothing; it keeps the sum of those that it finds.
  const charge = actor.role === "sweep" && kind === "commit" ? 0 : actor.charge;
  const isFresh = kind === "reserve" || kind === "announce";
  const nonce = isFresh ? freshNonce(at, attempt, options) : actor.nonce;
  // Slots belong to one attempt to take a lease: another has other ids.
  const isTake = kind === "reserve" && actor.role === "isolate";
  const hold = isTake ? leaseOf(at - options.requests, attempt, options) : actor.hold;
  const write: Write = { kind, from: at, attempt, hold, slot, nonce, charge };
  const actors = state.actors.with(at, { ...actor, isWaiting: true, hold, nonce });
  return { ...state, actors, mail: [...state.mail, write] };
}

function rested(state: State, at: number, actor: Actor): State {
  if (["choose", "serve"].includes(actor.next) || actor.role === "isolate") {
    return { ...state, actors: state.actors.with(at, actor) };
  }
  const isOver = actor.next !== "look" || actor.rounds === 0;
  const next = isOver ? "ended" : actor.next;
  const rest = { attempt: 0, nonce: 0, charge: 0, slot: 0, hold: isOver ? actor.hold : 0 };
  return { ...state, actors: state.actors.with(at, { ...actor, ...rest, next }) };
}

function isKind(next: Actor["next"]): next is Kind {
  return !["choose", "work", "serve", "look", "ended", "stopped"].includes(next);
}

function freshNonce(at: number, attempt: number, { without }: Options): number {
  return without === "nonce" ? 10 * (at + 1) : 10 * (at + 1) + attempt;
}

/** The reply has arrived. The actor decides what to do next. */
function answered(
  state: State,
  actor: Actor,
  heardOf: { readonly answer: Answer; readonly options: Options },
): Actor {
  const { answer } = heardOf;
  const heard: Actor = { ...actor, isWaiting: false, attempt: 0 };
  const { nonce, next, role } = actor;
  if (next === "reserve") return reserved(state, actor, heardOf);
  if (next === "commit") return decided(state, actor, heardOf.options);
  if (next === "release") return { ...heard, next: role === "sweep" ? "look" : "ended" };
  if (next === "announce") {
    const standing = answer === "written" ? nonce : state.account.pending;
    return { ...heard, next: "record", nonce: standing };
  }
  if (next !== "record") return { ...heard, next: "ended" };
  return { ...heard, next: "conclude", charge: state.movement === nonce ? GRANT : 0 };
}

function reserved(
  { account }: State,
  actor: Actor,
  { answer, options }: { readonly answer: Answer; readonly options: Options },
): Actor {
  const heard: Actor = { ...actor, isWaiting: false, attempt: 0 };
  if (actor.role === "isolate") return { ...heard, next: answer === "written" ? "serve" : "ended" };
  if (answer === "written") return { ...heard, next: "work" };
  // Adopts an earlier attempt's hold. Without one, the account cannot hold the credits.
  const landed = account.holds[actor.hold] ?? 0;
  if (landed !== 0 && isOwn(landed, actor, options)) {
    return { ...heard, next: "work", nonce: landed };
  }
  return { ...heard, next: "ended", told: -1 };
}

/** Another request's hold under the same id is not adopted: that request is under way. */
function isOwn(nonce: number, { nonce: own }: Actor, { without }: Options): boolean {
  return without === "own holds only" || senderOf(nonce) === senderOf(own);
}

/** The record decides, whoever wrote it. A sweep goes on to the lease's next one. */
function decided({ records }: State, actor: Actor, options: Options): Actor {
  const numbers = coverOf(actor.hold, options).records;
  const record = records[numbers[actor.slot] ?? 0];
  const charge = record?.nonce === actor.nonce ? record.charge : 0;
  const heard = { ...actor, isWaiting: false, attempt: 0 };
  if (actor.role === "sweep") {
    const slot = actor.slot + 1;
    const next = slot < numbers.length ? "commit" : "release";
    return { ...heard, next, slot, charge: actor.charge + charge };
  }
  const isOthers = record !== null && record?.nonce !== actor.nonce && (record?.charge ?? 0) > 0;
  return { ...heard, next: "release", charge, told: isOthers ? REPLAYED : word(actor, charge) };
}

/**
 * The charge, if the record is the request's own. An error after a failure, or if the sweep was
 * first.
 */
function word(actor: Actor, charge: number): number {
  return charge > 0 && charge === actor.charge ? charge : -1;
}
