import { failed, type Result, success } from "../../src/contract/result.ts";
import type { ResolveRequest, ResolveResponse } from "../../src/contract/schemas.ts";
import type { Ledger } from "../../src/credits/ledger.ts";
import { HOLD_GRACE_MS } from "../../src/credits/limits.ts";
import { authenticator } from "../../src/credits/record-mac.ts";
import { sweep } from "../../src/credits/sweep.ts";
import { admit } from "../../src/keys/admit.ts";
import { fingerprint } from "../../src/keys/api-key.ts";
import { openKeyMemory } from "../../src/keys/key-memory.ts";
import { startTrace } from "../../src/log/request-line.ts";
import { type Collaborators, resolve } from "../../src/resolve.ts";
import { openBreaker } from "../../src/search/breaker.ts";
import type { Dynamo, Write } from "../../src/store/dynamodb.ts";
import type { Engine } from "../support/memory-dynamodb/engine.ts";
import {
  ACCOUNTS,
  addAccount,
  addKey,
  balancesOf,
  createTestEngine,
  KEYS,
  LEDGER,
} from "../support/memory-dynamodb/store.ts";
import { testSettings } from "../support/settings.ts";
import { replaceDigest } from "./digest.ts";
import { checkHistory } from "./invariants.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";
import { SIMULATED } from "./upstream.ts";

/**
 * The fate of one write: it never ends, or ends unknown; it lands, does not land, or lands late.
 */
export type Fault =
  | "crash before"
  | "crash after"
  | "lost before"
  | "lost reply"
  | "throttled"
  | "transaction conflict"
  | { readonly landsAfterMs: number };

const LANDING: readonly Fault[] = ["crash after", "lost reply"];

/** Faults by the number of the write within one process, beginning with 1. */
export type Plan = Readonly<Record<number, Fault>>;

export const WINDOW_MS = 120_000;
export const HOLD_LIFE_MS = WINDOW_MS + HOLD_GRACE_MS;
const START_MS = Date.UTC(2026, 9, 31, 12);
const never = () => new Promise<never>(() => {});

/** A request for up to 10 items at 2 credits each. */
export const WANTED: ResolveRequest = {
  service: "messenger-channel",
  url: "https://t.me/channel/1",
  max_results: 10,
};

/** An account, its key, simulated time, and the means to make exactly one thing go wrong. */
export async function openStage({ credits = 100, startMs = START_MS } = {}) {
  replaceDigest();
  const scheduler = createScheduler(startMs);
  const engine = createTestEngine();
  const account = await addAccount(engine.dynamo, { credits });
  const key = await addKey(engine.dynamo, account);
  const { keyId } = await fingerprint(key);
  const logs: Readonly<Record<string, unknown>>[] = [];
  const count = counter();
  const parts = { scheduler, engine, logs, count };
  const service = (plan: Plan = {}, other: Partial<Collaborators> = {}) =>
    openService(parts, plan, other);
  const ask = (with_: Collaborators, how: Partial<Asking> = {}) =>
    askOnce(parts, with_, { key, wanted: WANTED, signal: new AbortController().signal, ...how });
  const finish = () => finishStage(parts, account, service().ledger);
  return { scheduler, engine, account, key, keyId, logs, service, ask, finish };
}

/** What everything on one stage shares. */
interface Parts {
  readonly scheduler: Scheduler;
  readonly engine: Engine;
  readonly logs: Readonly<Record<string, unknown>>[];
  /** A number that no other call gets. */
  readonly count: () => number;
}

function counter(): () => number {
  let next = 0;
  return () => next++;
}

function sleeping(scheduler: Scheduler) {
  return (delayMs: number) => new Promise<void>((wake) => void scheduler.after(delayMs, wake));
}

/** The store, whose writes fail by plan. */
function openFaultyStore({ scheduler, engine }: Parts, plan: Plan): Dynamo {
  const { dynamo } = engine;
  const sleep = sleeping(scheduler);
  let writes = 0;
  const write = async (send: () => Promise<Write>): Promise<Write> => {
    const fault = plan[++writes];
    await sleep(5);
    return fault === undefined ? send() : suffer(scheduler, fault, send);
  };
  return {
    ...dynamo,
    put: (request) => write(() => dynamo.put(request)),
    update: (request) => write(() => dynamo.update(request)),
  };
}

async function suffer(
  scheduler: Scheduler,
  fault: Fault,
  send: () => Promise<Write>,
): Promise<Write> {
  if (typeof fault === "object") scheduler.after(fault.landsAfterMs, () => void send());
  else if (LANDING.includes(fault)) await send();
  return String(fault).startsWith("crash") ? never() : { outcome: "unknown", cause: "a fault" };
}

function openService(parts: Parts, plan: Plan, other: Partial<Collaborators>): Collaborators {
  const { scheduler, engine, logs, count } = parts;
  const dynamo = openFaultyStore(parts, plan);
  const now = other.now ?? scheduler.now;
  const log = (entry: Readonly<Record<string, unknown>>) => void logs.push(entry);
  const sleep = sleeping(scheduler);
  const ledger = { dynamo, accountsTable: ACCOUNTS, ledgerTable: LEDGER, now, sleep, log };
  const rest = {
    authenticate: authenticator(null),
    random: () => 0.5,
    nonce: () => `n${count()}`,
    holdLifeMs: HOLD_LIFE_MS,
  };
  return {
    dynamo: engine.dynamo,
    apiKeysTable: KEYS,
    limiter: {
      refusal: () => null,
      count: async () => ({ allowed: true, remaining: 1, resetMs: 0 }),
    },
    replays: {
      refusal: () => null,
      count: async () => ({ allowed: true, remaining: 1, resetMs: 0 }),
    },
    addressLimiter: async () => true,
    keyMemory: openKeyMemory(now),
    ledger: { ...ledger, ...rest },
    resolvers: SIMULATED,
    fetch: async () => items(3),
    breaker: openBreaker({ now, log }),
    settings: testSettings({ RESOLVE_WINDOW_MS: WINDOW_MS }).search,
    now,
    timer: scheduler.after,
    requestId: () => "",
    log,
    ...other,
  };
}

function newRequestId({ scheduler, count }: Parts): string {
  const time = scheduler.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(count()).padStart(12, "0")}`;
}

interface Asking {
  readonly key: string;
  readonly wanted: ResolveRequest;
  readonly signal: AbortSignal;
}

/** One request. `told` stays null until the client has an answer. */
function askOnce(parts: Parts, with_: Collaborators, { key, wanted, signal }: Asking) {
  const asked: { requestId: string; told: Result<ResolveResponse> | null } = {
    requestId: newRequestId(parts),
    told: null,
  };
  const run = async () => {
    const trace = startTrace(asked.requestId, with_.now);
    const authorization = `Bearer ${key}`;
    const arrival = { authorization, address: null, readBody: async () => success("") };
    const { caller } = await admit(with_, trace, arrival);
    if (!caller.ok) return caller;
    const call = { trace, idempotencyKey: undefined, signal, waitUntil: () => {}, tell: () => {} };
    return resolve(with_, { call, key: caller.value.key }, wanted);
  };
  void run().then(
    (told) => {
      asked.told = told;
    },
    (error: unknown) => {
      asked.told = failed("UPSTREAM_ERROR", `exception: ${error}`);
    },
  );
  return asked;
}

/**
 * Every write lands, every hold expires, and the sweep runs twice. After that, no invariant may
 * be broken.
 */
async function finishStage({ scheduler, engine }: Parts, account: string, ledger: Ledger) {
  await scheduler.drain();
  scheduler.pass(2 * HOLD_LIFE_MS);
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    const run = sweep(ledger);
    await scheduler.drain();
    await run;
  }
  const timesMs = engine.changes.map(() => scheduler.now());
  const { violations, records } = checkHistory({ engine, changeTimesMs: () => timesMs });
  return { violations, records, ...balancesOf(engine, account) };
}

/** A platform's answer with that many items. */
export function items(count: number): Response {
  return new Response("media_url_https ".repeat(count));
}

/** What a client was told: the charge or the error's code. */
export function told(asked: { told: Result<ResolveResponse> | null }): string | number | null {
  if (asked.told === null) return null;
  return asked.told.ok ? asked.told.value.credits_used : asked.told.failure.code;
}
