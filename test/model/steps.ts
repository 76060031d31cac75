import {
  type Actor,
  GRANT,
  type Kind,
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
  // The reply is lost, or it arrives.
  yield* enter(landed, from, givenUp(sender, options), options);
  yield* enter(landed, from, answered(landed, sender, { answer, options }), options);
}

/** No answer in time: the write is in flight, was lost, or has landed. */
function givenUp(actor: Actor, { attempts }: Options): Actor {
  const attempt = actor.attempt + 1;
  const next = attempt < attempts ? actor.next : "stopped";
  return { ...actor, isWaiting: false, attempt, next };
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
  const request = options.without === "id from the records" ? actor.request : ended + 1;
  if (isPaid) yield* enter(state, at, { ...actor, next: "ended", told: REPLAYED }, options);
  else if (request >= records.length)
    yield* enter(state, at, { ...actor, next: "stopped" }, options);
  else yield* enter(state, at, { ...actor, next: "reserve", request }, options);
}

/** Any open hold may have expired, because no clock is trusted. */
function* look(state: State, at: number, options: Options): Steps {
  const actor = state.actors[at];
  for (const [request, nonce] of state.account.holds.entries()) {
    if (actor === undefined || nonce === 0) continue;
    const rounds = actor.rounds - 1;
    const taken: Actor = {
      ...actor,
      next: "commit",
      request,
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
  const { next: kind, attempt, request, charge } = actor;
  const isFresh = kind === "reserve" || kind === "announce";
  const nonce = isFresh ? freshNonce(at, attempt, options) : actor.nonce;
  const write: Write = { kind, from: at, attempt, request, nonce, charge };
  const actors = state.actors.with(at, { ...actor, isWaiting: true, nonce });
  return { ...state, actors, mail: [...state.mail, write] };
}

function rested(state: State, at: number, actor: Actor): State {
  if (actor.next === "choose") return { ...state, actors: state.actors.with(at, actor) };
  const isOver = actor.next !== "look" || actor.rounds === 0;
  const next = isOver ? "ended" : actor.next;
  const rest = { attempt: 0, nonce: 0, charge: 0, request: isOver ? actor.request : 0 };
  return { ...state, actors: state.actors.with(at, { ...actor, ...rest, next }) };
}

/** Drops the writes that can change nothing any more and that nobody waits for. */
function pruned(state: State, { without }: Options): State {
  if (without !== undefined) return state;
  const mail = state.mail.filter((write) => {
    const sender = state.actors[write.from];
    return isAwaited(sender, write) || canChange(state, write);
  });
  return { ...state, mail };
}

function canChange({ account, records, movement }: State, write: Write): boolean {
  if (write.kind === "commit") return records[write.request] === null;
  // A hold or announcement that is gone does not come back, because its nonce is used once.
  if (write.kind === "release") return account.holds[write.request] === write.nonce;
  if (write.kind === "record") return movement === 0;
  return write.kind !== "conclude" || account.pending === write.nonce;
}

function isAwaited(sender: Actor | undefined, { attempt, kind }: Write): boolean {
  return sender?.isWaiting === true && sender.attempt === attempt && sender.next === kind;
}

function isKind(next: Actor["next"]): next is Kind {
  return !["choose", "work", "look", "ended", "stopped"].includes(next);
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
  if (next === "commit") return decided(state, actor);
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
  if (answer === "written") return { ...heard, next: "work" };
  // Adopts an earlier attempt's hold. Without one, the account cannot hold the credits.
  const landed = account.holds[actor.request] ?? 0;
  if (landed !== 0 && isOwn(landed, actor, options)) {
    return { ...heard, next: "work", nonce: landed };
  }
  return { ...heard, next: "ended", told: -1 };
}

/** Another request's hold under the same id is not adopted: that request is under way. */
function isOwn(nonce: number, { nonce: own }: Actor, { without }: Options): boolean {
  return without === "own holds only" || senderOf(nonce) === senderOf(own);
}

/** The record decides, whoever wrote it. */
function decided({ records }: State, actor: Actor): Actor {
  const record = records[actor.request];
  const charge = record?.nonce === actor.nonce ? record.charge : 0;
  const isOthers = record !== null && record?.nonce !== actor.nonce && (record?.charge ?? 0) > 0;
  const own = isOthers ? REPLAYED : word(actor, charge);
  const told = actor.role === "request" ? own : null;
  return { ...actor, isWaiting: false, attempt: 0, next: "release", charge, told };
}

/**
 * The charge, if the record is the request's own. An error after a failure, or if the sweep was
 * first.
 */
function word(actor: Actor, charge: number): number {
  return charge > 0 && charge === actor.charge ? charge : -1;
}
