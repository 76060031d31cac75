import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { errorSchema } from "../../../src/contract/schemas.ts";
import { fingerprint, formatApiKey } from "../../../src/keys/api-key.ts";
import { UNKNOWN_KEY_MEMORY_MS } from "../../../src/keys/key-memory.ts";
import { ADDRESS_LIMIT_REQUESTS, openAddressLimiter } from "../../../src/limiter/address.ts";
import { openIsolateCount } from "../../../src/limiter/isolate-count.ts";
import { LIMIT_REQUESTS, type Limiter } from "../../../src/limiter/limiter.ts";
import type { Dynamo } from "../../../src/store/dynamodb.ts";
import {
  ACCOUNTS,
  ALLOWED,
  addKey,
  balancesOf,
  createClock,
  createTestEngine,
  KEYS,
  LEDGER,
  type Overrides,
  startService,
} from "../../support/service.ts";

const VALID = { service: "microblog", url: "https://x.com/someone/status/1", max_results: 1 };
const HEADERS = { "content-type": "application/json", "cf-connecting-ip": "192.0.2.1" };
const URL_V1 = "https://api.example.com/v1/resolve";

const stranger = (seed: number) => {
  const secret = new Uint8Array(32).fill(200);
  new DataView(secret.buffer).setUint32(0, seed);
  return formatApiKey(secret);
};

/** The service with its store and limiter watched: what is asked, in order. */
async function start(overrides: Overrides = {}) {
  const engine = createTestEngine();
  const asked: string[] = [];
  const read: Dynamo["read"] = async (address) => {
    asked.push("read");
    const found = await engine.dynamo.read(address);
    await Promise.resolve();
    asked.push("read answered");
    return found;
  };
  const count: Limiter["count"] = async () => {
    asked.push("count");
    return ALLOWED;
  };
  const clock = createClock();
  const service = await startService({
    dynamo: { ...engine.dynamo, read },
    now: clock.now,
    limiter: { refusal: () => null, count },
    ...overrides,
  });
  // The service's own engine is the watched one: the same account and key are added to it.
  const key = await addKey(engine.dynamo, "acct_test");
  const change = async (name: string, value: string) => {
    const { keyId } = await fingerprint(key);
    await engine.dynamo.update({
      TableName: KEYS,
      Key: { key_id: { S: keyId } },
      UpdateExpression: "SET #name = :value",
      ConditionExpression: "attribute_exists(key_id)",
      ExpressionAttributeNames: { "#name": name },
      ExpressionAttributeValues: { ":value": { S: value } },
    });
  };
  const ask = (authorization: string, body: unknown = "{}", headers = {}) =>
    service.resolve(body, { ...HEADERS, ...headers, authorization: `Bearer ${authorization}` });
  return { ...service, engine, key, clock, asked, change, ask };
}

/** A request whose body comes when the test says so. */
function slowly(app: Awaited<ReturnType<typeof start>>["app"], key: string) {
  let send: (text: string) => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"service":'));
      send = (text) => {
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      };
    },
  });
  const headers = { ...HEADERS, authorization: `Bearer ${key}` };
  const request = new Request(URL_V1, { method: "POST", headers, body });
  const response = Promise.resolve(app.fetch(request, {}, createExecutionContext()));
  return { response, finish: () => send('"nothing"}') };
}

async function codeOf(response: Response) {
  const { code, message } = errorSchema.parse(await response.json());
  return { status: response.status, code, message };
}

/** Lets everything run that waits for nothing but the microtask queue. */
const settle = () => new Promise((wake) => setTimeout(wake, 0));

describe("a body that comes slowly", () => {
  it("is given up after 10 seconds with a 400, after the key was accepted", async () => {
    const rings: [number, () => void][] = [];
    const { app, key, asked } = await start({
      timer: (delayMs, ring) => {
        rings.push([delayMs, ring]);
        return () => {};
      },
    });
    const { response } = slowly(app, key);
    await settle();
    expect(asked).toEqual([]);
    expect(rings.map(([delayMs]) => delayMs)).toEqual([10_000]);
    rings[0]?.[1]();
    const { status, headers } = await response;
    expect([status, headers.get("ratelimit")]).toEqual([400, expect.any(String)]);
    expect(await codeOf(await response)).toEqual({
      status: 400,
      code: "URL_INVALID",
      message: "body: must be complete within 10 s",
    });
    expect(asked).toContain("count");
  });

  it("stops its timer when it is complete", async () => {
    let running = 0;
    const { ask, key } = await start({
      timer: () => {
        running++;
        return () => running--;
      },
    });
    await ask(key);
    expect(running).toBe(0);
  });

  it("is refused when its key was revoked meanwhile", async () => {
    const { app, ask, key, change } = await start();
    expect((await ask(key)).status).toBe(400);
    const parked = Array.from({ length: 5 }, () => slowly(app, key));
    await settle();
    await change("status", "revoked");
    for (const { finish } of parked) finish();
    const answers = await Promise.all(parked.map(({ response }) => response));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(401));
  });

  it("counts when it is complete, not when it began", async () => {
    const clock = createClock();
    const own = openIsolateCount(clock.now, LIMIT_REQUESTS);
    const limiter: Limiter = {
      refusal: () => null,
      count: async (keyId) => ({ ...ALLOWED, allowed: own.count(keyId) }),
    };
    const { app, key } = await start({ now: clock.now, limiter });
    const parked: ReturnType<typeof slowly>[] = [];
    for (let window = 0; window < 3; window++) {
      for (let at = 0; at < 110; at++) parked.push(slowly(app, key));
      await settle();
      clock.pass(60_000);
    }
    for (const { finish } of parked) finish();
    const answers = await Promise.all(parked.map(({ response }) => response));
    const passed = answers.filter(({ status }) => status === 400);
    expect([passed.length, answers.length - passed.length]).toEqual([120, 210]);
  });

  it("is not waited for where the key is known to be unknown", async () => {
    const { app, ask } = await start();
    expect((await ask(stranger(1))).status).toBe(401);
    expect((await slowly(app, stranger(1)).response).status).toBe(401);
  });
});

describe("a key that is in no table", () => {
  it("wins over whatever is wrong with the body, and never reaches the limiter", async () => {
    const { ask, asked } = await start();
    expect((await ask(stranger(1), "not json")).status).toBe(401);
    expect((await ask(stranger(2), "x".repeat(20_000))).status).toBe(401);
    expect((await ask(stranger(3), "{}", { "content-type": "text/plain" })).status).toBe(401);
    expect(asked).not.toContain("count");
  });

  it("is looked up once in five seconds", async () => {
    const { ask, asked, clock } = await start();
    for (let at = 0; at < 10; at++) expect((await ask(stranger(1))).status).toBe(401);
    expect(asked).toEqual(["read", "read answered"]);
    clock.pass(UNKNOWN_KEY_MEMORY_MS);
    expect((await ask(stranger(1))).status).toBe(401);
    expect(asked).toHaveLength(4);
    expect(UNKNOWN_KEY_MEMORY_MS).toBeLessThanOrEqual(5_000);
  });

  it("works at the latest five seconds after it was created", async () => {
    const { ask, engine, clock } = await start();
    const key = formatApiKey(new Uint8Array(32).fill(7));
    expect((await ask(key)).status).toBe(401);
    await addKey(engine.dynamo, "acct_test", { seed: 7 });
    clock.pass(UNKNOWN_KEY_MEMORY_MS);
    expect((await ask(key)).status).toBe(400);
  });

  it("in a flood from one address is soon not looked up, and a good key of it is served", async () => {
    const clock = createClock();
    const { ask, asked, key } = await start({
      now: clock.now,
      addressLimiter: openAddressLimiter(null, clock.now),
    });
    expect((await ask(key)).status).toBe(400);
    const answers = await Promise.all(
      Array.from({ length: 2_000 }, (_, at) => ask(stranger(at + 1))),
    );
    const counts = Map.groupBy(answers, ({ status }) => status);
    expect(counts.get(401)).toHaveLength(ADDRESS_LIMIT_REQUESTS - 1);
    expect(counts.get(429)).toHaveLength(2_001 - ADDRESS_LIMIT_REQUESTS);
    expect(counts.get(429)?.[0]?.headers.get("retry-after")).toBe("60");
    expect(counts.get(429)?.[0]?.headers.get("ratelimit")).toBeNull();
    asked.length = 0;
    expect((await ask(key)).status).toBe(400);
    expect(asked).toEqual(["count", "read", "read answered"]);
    const elsewhere = { "cf-connecting-ip": "192.0.2.2" };
    expect((await ask(stranger(9_999), "{}", elsewhere)).status).toBe(401);
  });
});

describe("a key that exists", () => {
  it("is counted beside its look-up once it is known to be good", async () => {
    const { ask, key, asked } = await start();
    await ask(key);
    expect(asked).toEqual(["read", "read answered", "count"]);
    asked.length = 0;
    await ask(key);
    expect(asked).toEqual(["count", "read", "read answered"]);
  });

  it("is read at each request, however often it was good", async () => {
    const { ask, key, change } = await start();
    expect((await ask(key)).status).toBe(400);
    await change("status", "revoked");
    expect((await ask(key)).status).toBe(401);
    await change("status", "active");
    expect((await ask(key)).status).toBe(400);
  });

  it("and is revoked is read no more often than the limit", async () => {
    const { ask, key, change, asked } = await start();
    await change("status", "revoked");
    for (let at = 0; at < LIMIT_REQUESTS + 30; at++) {
      expect((await ask(key)).status).toBe(401);
    }
    expect(asked.filter((what) => what === "read")).toHaveLength(LIMIT_REQUESTS);
    expect(asked).not.toContain("count");
  });

  it("and is over the isolate's own count costs nobody a call", async () => {
    const resetMs = Date.UTC(2026, 9, 31, 12, 1);
    const refusal = () => ({ allowed: false, remaining: 0, resetMs });
    const { ask, key, asked } = await start({
      limiter: { refusal, count: () => Promise.reject(new Error("asked")) },
      addressLimiter: () => Promise.reject(new Error("asked")),
    });
    const response = await ask(key, "not json");
    expect(response.status).toBe(429);
    expect(response.headers.get("ratelimit")).toBe('"default";r=0;t=60;q=120;w=60');
    expect(asked).toEqual([]);
  });
});

describe("the account of a key", () => {
  const headersOf = ({ headers }: Response) => {
    const { "x-request-id": _, ...rest } = Object.fromEntries(headers);
    return rest;
  };

  it.each(["suspended", "unverified", "whatever comes later"])(
    "that is %s is a 401 like any other, before anything is said about the body",
    async (state) => {
      const { ask, key, change, asked } = await start();
      const other = await ask(stranger(1));
      await change("account_state", state);
      asked.length = 0;
      for (const body of [VALID, "not json", "{}"]) {
        const response = await ask(key, body);
        expect(headersOf(response)).toEqual(headersOf(other));
        expect(await codeOf(response)).toEqual(await codeOf(other.clone()));
      }
      expect(asked).not.toContain("count");
    },
  );

  it("that is active again serves again", async () => {
    const { ask, key, change } = await start();
    await change("account_state", "suspended");
    expect((await ask(key)).status).toBe(401);
    await change("account_state", "active");
    expect((await ask(key)).status).toBe(400);
  });

  it.each([
    ["status", { S: "suspended" }],
    ["email_verified", { BOOL: false }],
  ])("whose %s the key was not told of is refused by the reserve, alike", async (name, value) => {
    const { resolve, engine } = await startService();
    await engine.dynamo.update({
      TableName: ACCOUNTS,
      Key: { account: { S: "acct_test" } },
      UpdateExpression: "SET #name = :value",
      ConditionExpression: "attribute_exists(account)",
      ExpressionAttributeNames: { "#name": name },
      ExpressionAttributeValues: { ":value": value },
    });
    const other = await resolve(VALID, { authorization: `Bearer ${stranger(1)}` });
    const response = await resolve(VALID);
    expect(headersOf(response)).toEqual(headersOf(other));
    expect(await codeOf(response)).toEqual(await codeOf(other));
    expect(engine.scan(LEDGER)).toEqual([]);
    expect(balancesOf(engine)).toMatchObject({ available: 20, held: 0 });
  });
});
