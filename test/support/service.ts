import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { v7 as uuidv7 } from "uuid";
import type { Ledger } from "../../src/credits/ledger.ts";
import { HOLD_GRACE_MS } from "../../src/credits/limits.ts";
import { authenticator } from "../../src/credits/record-mac.ts";
import { createApp } from "../../src/http/app.ts";
import { openKeyMemory } from "../../src/keys/key-memory.ts";
import type { Verdict } from "../../src/limiter/limiter.ts";
import { createResolvers } from "../../src/platforms/registry.ts";
import type { Collaborators } from "../../src/resolve.ts";
import { timer } from "../../src/runtime/timer.ts";
import { openBreaker } from "../../src/search/breaker.ts";
import { orderSources } from "../../src/search/source-order.ts";
import type { Dynamo } from "../../src/store/dynamodb.ts";
import { watch } from "../contract/watch.ts";
import {
  ACCOUNTS,
  addAccount,
  addKey,
  createTestEngine,
  KEYS,
  LEDGER,
} from "./memory-dynamodb/store.ts";
import { testSettings } from "./settings.ts";

export * from "./memory-dynamodb/store.ts";

interface App<Asked extends Request, Rest extends readonly unknown[]> {
  readonly fetch: (request: Asked, ...rest: Rest) => Response | Promise<Response>;
}

/** The same app. Each of its responses is compared with the API's document. */
export function watched<Asked extends Request, Rest extends readonly unknown[]>(
  app: App<Asked, Rest>,
) {
  const fetch = async (request: Asked, ...rest: Rest) => {
    const response = await app.fetch(request, ...rest);
    await watch(request.method, response);
    return response;
  };
  return { fetch };
}

export type LogEntry = Readonly<Record<string, unknown>>;

/** Simulated time. `sleep` advances it at once. */
export function createClock(startMs = Date.UTC(2026, 9, 31, 12)) {
  let nowMs = startMs;
  const now = () => nowMs;
  const pass = (durationMs: number) => {
    nowMs += durationMs;
  };
  return { now, pass, sleep: async (durationMs: number) => pass(durationMs) };
}

export function testLedger(dynamo: Dynamo, overrides: Partial<Ledger> = {}): Ledger {
  let nonces = 0;
  const clock = createClock();
  return {
    dynamo,
    accountsTable: ACCOUNTS,
    ledgerTable: LEDGER,
    now: clock.now,
    sleep: clock.sleep,
    random: () => 0.5,
    nonce: () => `nonce${nonces++}`,
    authenticate: authenticator(null),
    holdLifeMs: 120_000 + HOLD_GRACE_MS,
    log: () => {},
    ...overrides,
  };
}

export const ALLOWED: Verdict = { allowed: true, remaining: 119, resetMs: Date.UTC(2040, 0) };

export type Overrides = Partial<Omit<Collaborators, "ledger">> & { ledger?: Partial<Ledger> };

/** The service on the in-process engine, with an account of 20 credits and its key. */
export async function startService(overrides: Overrides = {}) {
  const engine = createTestEngine();
  const account = await addAccount(engine.dynamo);
  const key = await addKey(engine.dynamo, account);
  const logs: LogEntry[] = [];
  const log = (entry: LogEntry) => void logs.push(entry);
  const dynamo = overrides.dynamo ?? engine.dynamo;
  const now = overrides.now ?? (() => Date.now());
  const config = testSettings();
  const settings = overrides.settings ?? config.search;
  const service: Collaborators = {
    dynamo,
    apiKeysTable: KEYS,
    limiter: { refusal: () => null, count: async () => ALLOWED },
    replays: { refusal: () => null, count: async () => ALLOWED },
    addressLimiter: async () => true,
    keyMemory: openKeyMemory(now),
    resolvers: orderSources(createResolvers(config.platforms), settings.SOURCES),
    fetch: () => Promise.reject(new Error("no upstream in this test")),
    breaker: openBreaker({ now, log }),
    settings,
    now,
    timer,
    requestId: () => uuidv7(),
    log,
    ...overrides,
    ledger: testLedger(dynamo, { now, log, ...overrides.ledger }),
  };
  const app = watched(createApp(service));

  /** Sends one HTTP request, and waits for everything that runs after its response. */
  const send = async (path: string, init: RequestInit = {}) => {
    const context = createExecutionContext();
    const request = new Request(`https://api.example.com${path}`, init);
    const response = await app.fetch(request, {}, context);
    await waitOnExecutionContext(context);
    return response;
  };
  const resolve = (body: unknown, headers: Record<string, string> = {}) =>
    send("/v1/resolve", {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { engine, account, key, logs, service, app, send, resolve };
}
