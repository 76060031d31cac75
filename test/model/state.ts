/** The reservation protocol as a state machine: one account, and everybody who writes to it. */
export interface State {
  readonly account: Account;
  /** The usage record of each id that a request may have; null before it is written. */
  readonly records: readonly (UsageRecord | null)[];
  /** The nonce that the movement's ledger record names; 0 before it is written. */
  readonly movement: number;
  readonly actors: readonly Actor[];
  /** Writes in flight. A write that never lands is never delivered. */
  readonly mail: readonly Write[];
}

export interface Account {
  readonly available: number;
  readonly held: number;
  readonly charged: number;
  readonly granted: number;
  /** A suspended account reserves nothing. */
  readonly isActive: boolean;
  /** The nonce of each open hold, a single one or a lease. 0 if there is none. */
  readonly holds: readonly number[];
  /** The nonce of the announced movement. 0 if there is none. */
  readonly pending: number;
}

export interface UsageRecord {
  readonly nonce: number;
  readonly charge: number;
}

export type Kind =
  | "reserve"
  | "commit"
  | "release"
  | "announce"
  | "record"
  | "conclude"
  | "suspend";

/** One conditional write of one item. */
export interface Write {
  readonly kind: Kind;
  /** Index of the actor that sent the write. */
  readonly from: number;
  /** Distinguishes the sender's attempts. */
  readonly attempt: number;
  readonly hold: number;
  /** Of a commit: which of the hold's records it writes. */
  readonly slot: number;
  readonly nonce: number;
  readonly charge: number;
}

/**
 * A request with a hold of its own, an isolate with a lease and its requests, a sweep, an operator, or
 * whoever suspends the account: its next step, or what it waits for. A crash is no step: an
 * actor that is never scheduled again has crashed, and the model visits every prefix of every run.
 */
export interface Actor {
  readonly role: "request" | "isolate" | "sweep" | "operator" | "suspender";
  /**
   * `serve`: an isolate has a lease. `ended`: has answered and released. `stopped`: has given up
   * without an answer.
   */
  readonly next: Kind | "choose" | "work" | "serve" | "look" | "ended" | "stopped";
  readonly isWaiting: boolean;
  readonly attempt: number;
  /** For a sweep: how many more holds it may end. */
  readonly rounds: number;
  /** The number of its hold, or of the one that the sweep works on. */
  readonly hold: number;
  /** For a sweep: which of the hold's records is next. */
  readonly slot: number;
  readonly nonce: number;
  readonly charge: number;
  /** For an isolate: the requests that its lease serves. */
  readonly slots: readonly Slot[];
  /** The charge that the client was told. -1 for an error, {@link REPLAYED}, null before the answer. */
  readonly told: number | null;
}

/** A request under a lease. `known`: the isolate knows what its record says. */
export interface Slot {
  readonly next: "free" | "commit" | "known" | "unknown";
  readonly attempt: number;
  readonly charge: number;
  /** As of an {@link Actor}. */
  readonly told: number | null;
}

/** The size of the model, and the parts of the protocol that it leaves out. */
export interface Options {
  readonly requests: number;
  readonly sweeps: number;
  /** Holds that each sweep ends. */
  readonly rounds: number;
  readonly operators: number;
  /** Isolates that take a lease. */
  readonly isolates?: number;
  /** Whether somebody suspends the account. */
  readonly isSuspended?: true;
  /** Attempts of each write. */
  readonly attempts: number;
  readonly available: number;
  /** All requests have the same Idempotency-Key: each chooses its id from the records that it sees. */
  readonly isKeyed?: true;
  /** Leaves one rule out, to show what the rule is for. */
  readonly without?:
    | "nonce"
    | "record's condition"
    | "release's condition"
    | "record before release"
    | "id from the records"
    | "own holds only"
    | "no slot after the close"
    | "close of known outcomes"
    | "void of every slot";
}

/** A client got the answer to a request that was paid before. */
export const REPLAYED = 50;

/** The index of the actor that made a nonce. */
export function senderOf(nonce: number): number {
  return Math.floor(nonce / 10) - 1;
}

export const RESERVED = 2;
export const GRANT = 2;
/** A lease has credits for one request at a time, and what a failed one has returned serves the next. */
export const LEASED = 3;
export const SLOTS = 2;

/** The credits of a hold, and the numbers of the records that may be written under it. */
export interface Cover {
  readonly credits: number;
  readonly records: readonly number[];
}

const NO_COVER: Cover = { credits: 0, records: [] };

/** Every step asks for covers, and they follow from the options alone. */
const covers = new WeakMap<Options, readonly Cover[]>();

/** First come the holds of single requests, then those of each attempt to take a lease. */
export function coverOf(hold: number, options: Options): Cover {
  const known = covers.get(options) ?? coversOf(options);
  covers.set(options, known);
  return known[hold] ?? NO_COVER;
}

function coversOf({ requests, isolates = 0, attempts }: Options): readonly Cover[] {
  const single = times(requests, (hold) => ({ credits: RESERVED, records: [hold] }));
  const leases = times(isolates * attempts, (lease) => {
    const first = requests + lease * SLOTS;
    return { credits: LEASED, records: times(SLOTS, (slot) => first + slot) };
  });
  return [...single, ...leases];
}

/** The hold that an isolate's attempt to take a lease makes. */
export function leaseOf(isolate: number, attempt: number, options: Options): number {
  return options.requests + isolate * options.attempts + attempt;
}

const FREE: Slot = { next: "free", attempt: 0, charge: 0, told: null };

export function initialState(options: Options): State {
  const idle = {
    isWaiting: false,
    attempt: 0,
    rounds: 0,
    hold: 0,
    slot: 0,
    nonce: 0,
    charge: 0,
    slots: [],
    told: null,
  } as const;
  const { requests, attempts, isolates = 0 } = options;
  const leases = isolates * attempts;
  return {
    account: {
      available: options.available,
      held: 0,
      charged: 0,
      granted: options.available,
      isActive: true,
      holds: times(requests + leases, () => 0),
      pending: 0,
    },
    records: times(requests + leases * SLOTS, () => null),
    movement: 0,
    actors: [
      ...times(requests, (hold): Actor => {
        const next = options.isKeyed ? "choose" : "reserve";
        return { ...idle, role: "request", next, hold };
      }),
      ...times(isolates, (at): Actor => {
        const hold = leaseOf(at, 0, options);
        const slots = times(SLOTS, () => FREE);
        return { ...idle, role: "isolate", next: "reserve", hold, slots };
      }),
      ...times(
        options.sweeps,
        (): Actor => ({ ...idle, role: "sweep", next: "look", rounds: options.rounds }),
      ),
      ...times(options.operators, (): Actor => ({ ...idle, role: "operator", next: "announce" })),
      ...times(options.isSuspended ? 1 : 0, (): Actor => {
        return { ...idle, role: "suspender", next: "suspend" };
      }),
    ],
    mail: [],
  };
}

function times<T>(length: number, make: (at: number) => T): T[] {
  return Array.from({ length }, (_, at) => make(at));
}
