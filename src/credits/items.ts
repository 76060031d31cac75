import * as z from "zod/mini";
import type { ErrorCode } from "../contract/errors.ts";
import type { Service } from "../contract/schemas.ts";
import { uuidTimeMs } from "../runtime/uuid-time.ts";
import type { Item } from "../store/dynamodb.ts";

/**
 * Items of the accounts and ledger tables and the types that the code works with. What each
 * attribute means, who writes it and how long it lives: `schema.md`.
 */

const text = z.pipe(
  z.object({ S: z.string() }),
  z.transform((value) => value.S),
);
const flag = z.pipe(
  z.object({ BOOL: z.boolean() }),
  z.transform((value) => value.BOOL),
);
/** A whole number as stored. */
export const integer = z
  .pipe(
    z.object({ N: z.string().check(z.regex(/^-?\d+$/)) }),
    z.transform((value) => Number(value.N)),
  )
  .check(z.refine(Number.isSafeInteger));

const holdSchema = z.pipe(
  z.object({ M: z.object({ n: integer, exp: integer, nonce: text, s: z.optional(text) }) }),
  z.transform(({ M }) => ({
    credits: M.n,
    expiresMs: M.exp,
    nonce: M.nonce,
    service: M.s ?? null,
  })),
);

/**
 * Credits that a running request has reserved, as stored in the account's `holds` map. Its service's
 * counter counts it; one from before the counters names no service, and none counts it.
 */
export type OpenHold = z.infer<typeof holdSchema>;

const accountSchema = z.object({
  account: text,
  status: text,
  email_verified: flag,
  available: integer,
  held: integer,
  charged: integer,
  granted: integer,
  holds: z.pipe(
    z.object({ M: z.record(z.string(), holdSchema) }),
    z.transform(({ M }) => new Map(Object.entries(M))),
  ),
});

const countersSchema = z.record(z.string(), integer);

/** An account; `holds` by request id. Balances in whole credits. */
export interface Account extends z.infer<typeof accountSchema> {
  /** Open holds of each service, by {@link counterOf} its name. Without those of unused services. */
  readonly counters: ReadonlyMap<string, number>;
}

const COUNTER_PREFIX = "open_";

/**
 * The account's attribute that counts the open holds of a service. At the top of the item, so that an
 * account needs none before its first request.
 */
export function counterOf(service: string): string {
  return COUNTER_PREFIX + service.replaceAll("-", "_");
}

/** What an account lets its keys do; each key has a copy, which the operator's tool writes. */
export type AccountState = "active" | "suspended" | "unverified";

export function accountState(account: Pick<Account, "status" | "email_verified">): AccountState {
  if (account.status !== "active") return "suspended";
  return account.email_verified ? "active" : "unverified";
}

/** @throws if the item is no account. Only the service and its operators write that table. */
export function readAccount(item: Item): Account {
  const counters = Object.entries(item).filter(([name]) => name.startsWith(COUNTER_PREFIX));
  return {
    ...accountSchema.parse(item),
    counters: new Map(Object.entries(countersSchema.parse(Object.fromEntries(counters)))),
  };
}

/** The credits that a write of an account has left. Null if the store did not return them. */
export function availableIn(attributes: Item): number | null {
  const credits = Number(attributes["available"]?.N ?? Number.NaN);
  return Number.isSafeInteger(credits) ? credits : null;
}

/** The holds that the sweep may end. */
export function expiredHolds(
  holds: ReadonlyMap<string, OpenHold>,
  nowMs: number,
): Map<string, OpenHold> {
  return new Map([...holds].filter(([, hold]) => hold.expiresMs <= nowMs));
}

export function writeHold(hold: OpenHold): Item[string] {
  return {
    M: {
      n: { N: String(hold.credits) },
      exp: { N: String(hold.expiresMs) },
      nonce: { S: hold.nonce },
      ...(hold.service !== null && { s: { S: hold.service } }),
    },
  };
}

/**
 * How a request ended: `OK`, the error code that the client got, or `ABANDONED` if the sweep ended
 * it.
 */
export type UsageOutcome = "OK" | "ABANDONED" | ErrorCode;

/**
 * One immutable usage record. Key, service and multiplier are null if the sweep wrote it: it does
 * not know them.
 */
export interface Usage {
  readonly account: string;
  readonly requestId: string;
  readonly keyId: string | null;
  readonly service: Service | null;
  readonly outcome: UsageOutcome;
  readonly reserved: number;
  readonly itemCount: number;
  readonly multiplier: number | null;
  readonly charge: number;
  /** The nonce of the hold that this record consumes. */
  readonly nonce: string;
  readonly settledBy: "request" | "sweep";
  readonly settledAtMs: number;
  /** Of a request with `Idempotency-Key`, unless the sweep wrote the record. */
  readonly idempotency?: Idempotency | undefined;
}

/** A client's `Idempotency-Key` and the request that it stands for, as hashes: 32 hex digits each. */
export interface Idempotency {
  /** Of the account and the key. */
  readonly keyHash: string;
  /** Of the fields of the request. */
  readonly requestHash: string;
}

export function writeUsage(usage: Usage): Item {
  return {
    ...ledgerKey(usage.account, usage.requestId),
    kind: { S: "usage" },
    account: { S: usage.account },
    key_id: nullable(usage.keyId),
    service: nullable(usage.service),
    outcome: { S: usage.outcome },
    reserved: { N: String(usage.reserved) },
    item_count: { N: String(usage.itemCount) },
    multiplier: usage.multiplier === null ? { NULL: true } : { N: String(usage.multiplier) },
    charge: { N: String(usage.charge) },
    nonce: { S: usage.nonce },
    settled_by: { S: usage.settledBy },
    settled_at: { S: new Date(usage.settledAtMs).toISOString() },
    ...(usage.idempotency && {
      idempotency_key: { S: usage.idempotency.keyHash },
      request_hash: { S: usage.idempotency.requestHash },
    }),
  };
}

const recordSchema = z.object({
  record_id: text,
  outcome: text,
  charge: integer,
  item_count: integer,
  nonce: text,
  request_hash: z.optional(text),
  settled_at: text,
});

/** What a usage record says about its request, as far as a later one must know it. */
export interface Recorded {
  readonly requestId: string;
  /** The nonce of the hold that the record decides about. */
  readonly nonce: string;
  readonly isPaid: boolean;
  readonly charge: number;
  readonly itemCount: number;
  /** Null for a request without `Idempotency-Key`, and for a record of the sweep's. */
  readonly requestHash: string | null;
  readonly settledAtMs: number;
}

/** @throws if the item is no usage record. Only the service writes them. */
export function readRecord(item: Item): Recorded {
  const record = recordSchema.parse(item);
  return {
    requestId: record.record_id,
    nonce: record.nonce,
    isPaid: record.outcome === "OK",
    charge: record.charge,
    itemCount: record.item_count,
    requestHash: record.request_hash ?? null,
    settledAtMs: Date.parse(record.settled_at),
  };
}

/** Key of a request's usage record, derived from the hold alone: the month is the request id's. */
export function ledgerKey(account: string, requestId: string): Item {
  const month = new Date(uuidTimeMs(requestId)).toISOString().slice(0, 7);
  return { account_period: { S: `${account}#${month}` }, record_id: { S: requestId } };
}

function nullable(value: string | null): Item[string] {
  return value === null ? { NULL: true } : { S: value };
}
