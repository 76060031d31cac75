import { failed, type Result } from "../../src/contract/result.ts";
import type { ResolveRequest, ResolveResponse } from "../../src/contract/schemas.ts";
import { HOLD_GRACE_MS } from "../../src/credits/limits.ts";
import { sweep } from "../../src/credits/sweep.ts";
import { fingerprint } from "../../src/keys/api-key.ts";
import { startTrace } from "../../src/log/request-line.ts";
import { admit, type Collaborators, resolve } from "../../src/resolve.ts";
import { openBreaker } from "../../src/search/breaker.ts";
import type { Dynamo, Write } from "../../src/store/dynamodb.ts";
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
import { checkHistory } from "./invariants.ts";
import { replaceDigest } from "./platform.ts";
import { createScheduler } from "./scheduler.ts";
import { SIMULATED } from "./upstream.ts";

/** What happens to one write: it never ends, or ends unknown; it lands, does not, or lands late. */
export type Fault =
  | "crash before"
  | "crash after"
  | "lost before"
  | "lost reply"
  | "throttled"
  | "transaction conflict"
  | { readonly landsAfterMs: number };

const LANDING: readonly Fault[] = ["crash after", "lost reply"];

/** Faults by the number of the write among those of one process, the first being 1. */
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

/** An account, its key, simulated time, and the means to let exactly one thing go wrong. */
export async function openStage({ credits = 100, startMs = START_MS } = {}) {
  replaceDigest();
  const scheduler = createScheduler(startMs);
  const engine = createTestEngine();
  const account = await addAccount(engine.dynamo, { credits });
  const key = await addKey(engine.dynamo, account);
  const { keyId } = await fingerprint(key);
  const logs: Readonly<Record<string, unknown>>[] = [];
  let counter = 0;
  const sleep = (delayMs: number) =>
    new Promise<void>((wake) => void scheduler.after(delayMs, wake));

  const faulty = (plan: Plan): Dynamo => {
    let writes = 0;
    const write = async (send: () => Promise<Write>): Promise<Write> => {
      const fault = plan[++writes];
      await sleep(5);
      if (fault === undefined) return send();
      if (typeof fault === "object") scheduler.after(fault.landsAfterMs, () => void send());
      else if (LANDING.includes(fault)) await send();
      return String(fault).startsWith("crash") ? never() : { outcome: "unknown", cause: "a fault" };
    };
    const { dynamo } = engine;
    return {
      ...dynamo,
      put: (request) => write(() => dynamo.put(request)),
      update: (request) => write(() => dynamo.update(request)),
    };
  };

  const service = (plan: Plan = {}, other: Partial<Collaborators> = {}): Collaborators => {
    const dynamo = faulty(plan);
    const now = other.now ?? scheduler.now;
    const log = (entry: Readonly<Record<string, unknown>>) => void logs.push(entry);
    const ledger = { dynamo, accountsTable: ACCOUNTS, ledgerTable: LEDGER, now, sleep, log };
    const rest = { random: () => 0.5, nonce: () => `n${counter++}`, holdLifeMs: HOLD_LIFE_MS };
    return {
      dynamo: engine.dynamo,
      apiKeysTable: KEYS,
      limiter: async () => ({ allowed: true, remaining: 1, resetMs: 0 }),
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
  };

  const newRequestId = () => {
    const time = scheduler.now().toString(16).padStart(12, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(counter++).padStart(12, "0")}`;
  };

  /** One request; `told` stays null while the client has no answer. */
  const ask = (
    with_: Collaborators,
    { wanted = WANTED, signal = new AbortController().signal } = {},
  ) => {
    const asked: { requestId: string; told: Result<ResolveResponse> | null } = {
      requestId: newRequestId(),
      told: null,
    };
    const run = async () => {
      const trace = startTrace(asked.requestId, with_.now);
      const { key: admitted } = await admit(with_, trace, `Bearer ${key}`);
      if (!admitted.ok) return admitted;
      const call = { trace, signal, waitUntil: () => {} };
      return resolve(with_, { call, key: admitted.value }, wanted);
    };
    void run().then(
      (told) => {
        asked.told = told;
      },
      (error) => {
        asked.told = failed("UPSTREAM_ERROR", `exception: ${error}`);
      },
    );
    return asked;
  };

  /** Everything lands, every hold expires, and the sweep runs twice; nothing may be broken then. */
  const finish = async () => {
    await scheduler.drain();
    scheduler.pass(2 * HOLD_LIFE_MS);
    const { ledger } = service();
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      const run = sweep(ledger);
      await scheduler.drain();
      await run;
    }
    const timesMs = engine.changes.map(() => scheduler.now());
    const { violations, records } = checkHistory({ engine, changeTimesMs: () => timesMs });
    return { violations, records, ...balancesOf(engine, account) };
  };

  return { scheduler, engine, account, key, keyId, logs, service, ask, finish };
}

/** A platform's answer with so many items. */
export function items(count: number): Response {
  return new Response("media_url_https ".repeat(count));
}

/** What a client was told, in short. */
export function told(asked: { told: Result<ResolveResponse> | null }): string | number | null {
  if (asked.told === null) return null;
  return asked.told.ok ? asked.told.value.credits_used : asked.told.failure.code;
}
