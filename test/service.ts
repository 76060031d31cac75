import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { v7 as uuidv7 } from "uuid";
import { createApp } from "../src/app.ts";
import type { Ledger } from "../src/credits/ledger.ts";
import { HOLD_GRACE_MS } from "../src/credits/limits.ts";
import type { Dynamo, Item } from "../src/dynamodb.ts";
import { fingerprint, formatApiKey } from "../src/keys/api-key.ts";
import type { Verdict } from "../src/limiter/limiter.ts";
import type { Collaborators } from "../src/resolve.ts";
import { createEngine, type Engine } from "./engine/engine.ts";
import { testSettings } from "./settings.ts";

export const ACCOUNTS = "accounts";
export const KEYS = "keys";
export const LEDGER = "ledger";

/** The keys of the three tables, as `infra/template.yaml` has them. */
export const TABLES = {
  [ACCOUNTS]: ["account"],
  [KEYS]: ["key_id"],
  [LEDGER]: ["account_period", "record_id"],
} as const;

export type LogEntry = Readonly<Record<string, unknown>>;

/** Simulated time; `sleep` passes it at once. */
export function createClock(startMs = Date.UTC(2026, 9, 31, 12)) {
  let nowMs = startMs;
  const now = () => nowMs;
  const pass = (durationMs: number) => {
    nowMs += durationMs;
  };
  return { now, pass, sleep: async (durationMs: number) => pass(durationMs) };
}

export function createTestEngine(): Engine {
  return createEngine(TABLES);
}

/** An account item as the operator's tool creates and tops it up. */
export async function addAccount(
  dynamo: Dynamo,
  {
    account = "acct_test",
    credits = 20,
    ...overrides
  }: { account?: string; credits?: number } & {
    status?: string;
    verified?: boolean;
  } = {},
): Promise<string> {
  const Key = { account: { S: account } };
  const Item: Item = {
    ...Key,
    email: { S: "someone@example.com" },
    email_verified: { BOOL: overrides.verified ?? true },
    status: { S: overrides.status ?? "active" },
    available: { N: String(credits) },
    granted: { N: String(credits) },
    held: { N: "0" },
    charged: { N: "0" },
    holds: { M: {} },
    pending: { M: {} },
  };
  const ConditionExpression = "attribute_not_exists(account)";
  await dynamo.put({ TableName: ACCOUNTS, Key, Item, ConditionExpression });
  return account;
}

export async function addKey(
  dynamo: Dynamo,
  account: string,
  { status = "active", seed = 1 } = {},
): Promise<string> {
  const key = formatApiKey(new Uint8Array(32).fill(seed));
  const { keyId, keyHash } = await fingerprint(key);
  const Key = { key_id: { S: keyId } };
  const Item: Item = {
    ...Key,
    key_hash: { S: keyHash },
    account: { S: account },
    status: { S: status },
  };
  const ConditionExpression = "attribute_not_exists(key_id)";
  await dynamo.put({ TableName: KEYS, Key, Item, ConditionExpression });
  return key;
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
    nonce: () => `nonce${nonces++}`,
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
  const now = () => Date.now();
  const service: Collaborators = {
    dynamo,
    apiKeysTable: KEYS,
    limiter: async () => ALLOWED,
    fetch: () => Promise.reject(new Error("no upstream in this test")),
    settings: testSettings(),
    now,
    requestId: () => uuidv7(),
    log,
    ...overrides,
    ledger: testLedger(dynamo, { now, log, ...overrides.ledger }),
  };
  const app = createApp(service);

  /** One HTTP request, with all that runs after its response. */
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

/** Balances of an account as numbers, with the number of its open holds. */
export function balancesOf(engine: Engine, account = "acct_test") {
  const item = engine.scan(ACCOUNTS).find((candidate) => candidate["account"]?.S === account);
  const number = (name: string) => Number(item?.[name]?.N);
  return {
    available: number("available"),
    held: number("held"),
    charged: number("charged"),
    holds: Object.keys(item?.["holds"]?.M ?? {}).length,
  };
}
