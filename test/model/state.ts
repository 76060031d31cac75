/** The reservation protocol as a state machine: one account, and everybody who writes to it. */
export interface State {
  readonly account: Account;
  /** The usage record of each request id; null before it is written. */
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
  /** The nonce of each request's open hold. 0 if there is none. */
  readonly holds: readonly number[];
  /** The nonce of the announced movement. 0 if there is none. */
  readonly pending: number;
}

export interface UsageRecord {
  readonly nonce: number;
  readonly charge: number;
}

export type Kind = "reserve" | "commit" | "release" | "announce" | "record" | "conclude";

/** One conditional write of one item. */
export interface Write {
  readonly kind: Kind;
  /** Index of the actor that sent the write. */
  readonly from: number;
  /** Distinguishes the sender's attempts. */
  readonly attempt: number;
  readonly request: number;
  readonly nonce: number;
  readonly charge: number;
}

/**
 * A request, a sweep or an operator: its next step, or what it waits for. A crash is no step: an
 * actor that is never scheduled again has crashed, and the model visits every prefix of every run.
 */
export interface Actor {
  readonly role: "request" | "sweep" | "operator";
  /** `ended`: has answered and released. `stopped`: has given up without an answer. */
  readonly next: Kind | "choose" | "work" | "look" | "ended" | "stopped";
  readonly isWaiting: boolean;
  readonly attempt: number;
  /** For a sweep: how many more holds it may end. */
  readonly rounds: number;
  /** The number of the request's id, or of the one that the sweep works on. */
  readonly request: number;
  readonly nonce: number;
  readonly charge: number;
  /** The charge that the client was told. -1 for an error, {@link REPLAYED}, null before the answer. */
  readonly told: number | null;
}

/** The size of the model, and the parts of the protocol that it leaves out. */
export interface Options {
  readonly requests: number;
  readonly sweeps: number;
  /** Holds that each sweep ends. */
  readonly rounds: number;
  readonly operators: number;
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
    | "own holds only";
}

/** A client got the answer to a request that was paid before. */
export const REPLAYED = 50;

/** The index of the actor that made a nonce. */
export function senderOf(nonce: number): number {
  return Math.floor(nonce / 10) - 1;
}

export const RESERVED = 2;
export const GRANT = 2;

export function initialState(options: Options): State {
  const idle = {
    isWaiting: false,
    attempt: 0,
    rounds: 0,
    request: 0,
    nonce: 0,
    charge: 0,
    told: null,
  } as const;
  const times = <T>(length: number, make: (at: number) => T) =>
    Array.from({ length }, (_, at) => make(at));
  return {
    account: {
      available: options.available,
      held: 0,
      charged: 0,
      granted: options.available,
      holds: times(options.requests, () => 0),
      pending: 0,
    },
    records: times(options.requests, () => null),
    movement: 0,
    actors: [
      ...times(options.requests, (request): Actor => {
        const next = options.isKeyed ? "choose" : "reserve";
        return { ...idle, role: "request", next, request };
      }),
      ...times(
        options.sweeps,
        (): Actor => ({ ...idle, role: "sweep", next: "look", rounds: options.rounds }),
      ),
      ...times(options.operators, (): Actor => ({ ...idle, role: "operator", next: "announce" })),
    ],
    mail: [],
  };
}
