import { describe, expect, it } from "vitest";
import { errorSchema, resolveResponseSchema } from "../../../src/contract/schemas.ts";
import { ATTEMPTS_MAX, attemptId, DAY_MS, dayOf } from "../../../src/idempotency/attempt-id.ts";
import { EDGE_MS } from "../../../src/idempotency/attempts.ts";
import type { Dynamo } from "../../../src/store/dynamodb.ts";
import {
  ACCOUNTS,
  addAccount,
  addKey,
  balancesOf,
  createClock,
  LEDGER,
  type Overrides,
  startService,
} from "../../support/service.ts";

const ID = "1900000000000000001";
const POST = { service: "microblog", url: `https://x.com/someone/status/${ID}`, max_results: 5 };
const KEY = { "idempotency-key": "order-1" };
const NOON = Date.UTC(2026, 9, 15, 12);
const MIDNIGHT = Date.UTC(2026, 10, 1);

/** A synthetic reply with that many photos. */
function photos(count: number): Response {
  const mediaDetails = Array.from({ length: count }, (_, at) => {
    return { type: "photo", media_url_https: `https://pbs.twimg.com/media/Sample${at}.jpg` };
  });
  return Response.json({ __typename: "Tweet", id_str: ID, mediaDetails });
}

/** Makes a platform wait with its answers until the gate is open. */
function closeGate(platform: { answer: () => Promise<Response> }) {
  const opened = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  platform.answer = async () => {
    reached.resolve();
    await opened.promise;
    return photos(2);
  };
  return { reached: reached.promise, open: opened.resolve };
}

/** The service at a time, with a platform whose answers can be changed. */
async function start(startMs = NOON, other: Overrides = {}) {
  const clock = createClock(startMs);
  const platform = { answer: async () => photos(2), asked: 0 };
  const fetch = async () => {
    platform.asked += 1;
    return platform.answer();
  };
  const service = await startService({ now: clock.now, fetch, ...other });
  const { engine, resolve } = service;
  const ask = (headers: Record<string, string> = KEY, body: object = POST) =>
    resolve(body, headers);
  const charges = () =>
    engine.scan(LEDGER).map((item) => `${item["outcome"]?.S} ${item["charge"]?.N}`);
  return { ...service, clock, platform, ask, charges };
}

const bodyOf = async (response: Response) => resolveResponseSchema.parse(await response.json());
const codeOf = async (response: Response) => errorSchema.parse(await response.json()).code;

describe("a request with Idempotency-Key that was paid", () => {
  it("is resolved again, charged nothing, and has the first one's id and price", async () => {
    const { ask, engine, platform, charges } = await start();
    const first = await bodyOf(await ask());
    const balances = balancesOf(engine);
    const writes = engine.changes.length;
    const repeated = await ask();
    const second = await bodyOf(repeated);
    expect(second).toEqual(first);
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    expect(repeated.headers.get("X-Request-Id")).toBe(first.request_id);
    expect(repeated.headers.get("X-Credits-Charged")).toBe("0");
    expect(engine.changes.length).toBe(writes);
    expect(balancesOf(engine)).toEqual(balances);
    expect(charges()).toEqual(["OK 2"]);
    expect(platform.asked).toBe(2);
  });

  it("returns no more items than were paid for", async () => {
    const { ask, platform } = await start();
    await ask();
    platform.answer = async () => photos(4);
    expect(await bodyOf(await ask())).toMatchObject({ item_count: 2, credits_used: 2 });
  });

  it("fails for nothing when the platform fails then, and may be repeated", async () => {
    const { ask, platform, charges } = await start();
    await ask();
    platform.answer = async () => new Response(null, { status: 500 });
    const failed = await ask();
    expect(await codeOf(failed)).toBe("UPSTREAM_ERROR");
    expect(failed.headers.get("Idempotent-Replayed")).toBeNull();
    platform.answer = async () => photos(2);
    expect((await ask()).status).toBe(200);
    expect(charges()).toEqual(["OK 2"]);
  });

  it("is charged again after 24 hours, not before", async () => {
    const { ask, clock, charges } = await start();
    await ask();
    clock.pass(DAY_MS - 1);
    expect((await ask()).headers.get("Idempotent-Replayed")).toBe("true");
    clock.pass(1);
    expect((await ask()).headers.get("Idempotent-Replayed")).toBeNull();
    expect(charges()).toEqual(["OK 2", "OK 2"]);
  });

  it.each(["service", "url", "max_results"])("is refused with another %s", async (field) => {
    const { ask, charges, platform } = await start();
    await ask();
    const other = {
      service: { service: "pinboard", url: "https://pinterest.com/pin/1" },
      url: { url: `${POST.url}?s=20` },
      max_results: { max_results: 6 },
    }[field];
    const refused = await ask(KEY, { ...POST, ...other });
    expect(refused.status).toBe(400);
    expect(await codeOf(refused)).toBe("URL_INVALID");
    expect(platform.asked).toBe(1);
    expect(charges()).toEqual(["OK 2"]);
  });

  it("may leave the default of max_results out", async () => {
    const { ask } = await start();
    const { max_results: _, ...short } = POST;
    await ask(KEY, { ...POST, max_results: 10 });
    expect((await ask(KEY, short)).headers.get("Idempotent-Replayed")).toBe("true");
  });

  it("is another account's own business", async () => {
    const { ask, engine, charges } = await start();
    await ask();
    const other = await addAccount(engine.dynamo, { account: "acct_other", credits: 20 });
    const key = await addKey(engine.dynamo, other, { seed: 9 });
    const response = await ask({ ...KEY, authorization: `Bearer ${key}` });
    expect(response.headers.get("Idempotent-Replayed")).toBeNull();
    expect(charges()).toEqual(["OK 2", "OK 2"]);
  });

  it("may be repeated with another API key of the account", async () => {
    const { ask, engine, account, charges } = await start();
    await ask();
    const key = await addKey(engine.dynamo, account, { seed: 9 });
    const response = await ask({ ...KEY, authorization: `Bearer ${key}` });
    expect(response.headers.get("Idempotent-Replayed")).toBe("true");
    expect(charges()).toEqual(["OK 2"]);
  });

  it("is not repeated when too many repetitions were counted", async () => {
    const resetMs = NOON + 60_000;
    const spent = { allowed: false, remaining: 0, resetMs };
    const replays = { refusal: () => null, count: async () => spent };
    const { ask, platform } = await start(NOON, { replays });
    await ask();
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("Retry-After")).toBe("60");
    expect(platform.asked).toBe(1);
  });
});

describe("a request with Idempotency-Key that failed", () => {
  it("is run again as if it were new, as often as it fails", async () => {
    const { ask, platform, charges, engine } = await start();
    platform.answer = async () => new Response(null, { status: 500 });
    const failed = [await ask(), await ask()];
    platform.answer = async () => photos(2);
    const paid = await ask();
    const ids = new Set([...failed, paid].map(({ headers }) => headers.get("X-Request-Id")));
    expect(ids.size).toBe(3);
    expect(paid.headers.get("Idempotent-Replayed")).toBeNull();
    expect(charges()).toEqual(["UPSTREAM_ERROR 0", "UPSTREAM_ERROR 0", "OK 2"]);
    expect(balancesOf(engine)).toEqual({ available: 18, held: 0, charged: 2, holds: 0 });
  });

  it("is refused after 4,096 attempts in one day, and reserves nothing", async () => {
    const { ask, platform, engine } = await start();
    platform.answer = async () => new Response(null, { status: 500 });
    const first = (await ask()).headers.get("X-Request-Id") ?? "";
    const [record = {}] = engine.scan(LEDGER);
    const record_id = { S: attemptId(first.slice(0, -3), ATTEMPTS_MAX) };
    const { account_period = { S: "" } } = record;
    await engine.dynamo.put({
      TableName: LEDGER,
      Key: { account_period, record_id },
      Item: { ...record, record_id },
      ConditionExpression: "attribute_not_exists(record_id)",
    });
    const writes = engine.changes.length;
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("Retry-After")).toBe("3600");
    expect(errorSchema.parse(await refused.json()).message).toContain("Too many attempts");
    expect([engine.changes.length, platform.asked]).toEqual([writes, 1]);
    platform.answer = async () => photos(2);
    expect((await ask({ "idempotency-key": "order-2" })).status).toBe(200);
  });

  it("keeps hashes of key and request in its record, and never the key", async () => {
    const { ask, engine, logs } = await start();
    await ask();
    const [record] = engine.scan(LEDGER);
    expect(record?.["idempotency_key"]?.S).toMatch(/^[0-9a-f]{32}$/);
    expect(record?.["request_hash"]?.S).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.stringify([engine.scan(LEDGER), engine.scan(ACCOUNTS), logs])).not.toContain(
      "order-1",
    );
  });
});

describe("two requests with the same Idempotency-Key at once", () => {
  it("are charged once: the other waits its turn, with one search paid", async () => {
    const { ask, platform, charges, engine } = await start();
    const gate = closeGate(platform);
    const first = ask();
    await gate.reached;
    const second = await ask();
    expect(second.status).toBe(429);
    expect(second.headers.get("Retry-After")).toBe("1");
    expect(errorSchema.parse(await second.json()).message).toContain("still under way");
    gate.open();
    expect((await first).status).toBe(200);
    expect(platform.asked).toBe(1);
    expect(charges()).toEqual(["OK 2"]);
    expect((await ask()).headers.get("Idempotent-Replayed")).toBe("true");
    expect(balancesOf(engine)).toMatchObject({ held: 0, charged: 2 });
  });

  it("are charged once when one has read before the other began, and reserves after it ended", async () => {
    const { ask, charges, platform, service, engine, logs } = await start();
    const { query } = service.ledger.dynamo;
    const late = Promise.withResolvers<void>();
    const hasRead = Promise.withResolvers<void>();
    let reads = 0;
    const slow: Dynamo["query"] = async (request) => {
      const page = await query(request);
      reads += 1;
      if (reads === 2) hasRead.resolve();
      if (reads <= 2) await late.promise;
      return page;
    };
    Object.assign(service.ledger.dynamo, { query: slow });
    const first = ask();
    await hasRead.promise;
    const second = await bodyOf(await ask());
    // The late one finds more than was paid for, and may not return it.
    platform.answer = async () => photos(4);
    late.resolve();
    const behind = await first;
    expect(await bodyOf(behind)).toEqual(second);
    expect(behind.headers.get("Idempotent-Replayed")).toBe("true");
    expect(logs.flatMap(({ replayed }) => replayed ?? [])).toEqual([second.request_id]);
    expect(charges()).toEqual(["OK 2"]);
    expect(balancesOf(engine)).toMatchObject({ held: 0, charged: 2 });
  });
});

describe("at the edge of a day", () => {
  it.each([-EDGE_MS + 1, -1, 0, 1, EDGE_MS - 1])(
    "a success %i ms from midnight is repeated on either side",
    async (offsetMs) => {
      const { ask, clock, charges } = await start(MIDNIGHT + offsetMs);
      const first = await bodyOf(await ask());
      clock.pass(EDGE_MS);
      expect(await bodyOf(await ask())).toEqual(first);
      clock.pass(DAY_MS - EDGE_MS - 1);
      expect(await bodyOf(await ask())).toEqual(first);
      expect(charges()).toEqual(["OK 2"]);
    },
  );

  it("a request of the day before that is under way is seen", async () => {
    const { ask, clock, platform, charges } = await start(MIDNIGHT - 1_000);
    const gate = closeGate(platform);
    const first = ask();
    await gate.reached;
    clock.pass(2_000);
    expect((await ask()).status).toBe(429);
    gate.open();
    await first;
    expect((await ask()).headers.get("Idempotent-Replayed")).toBe("true");
    expect(charges()).toEqual(["OK 2"]);
  });

  it("a request of the day before that ends between the other's reads and its reserve is seen", async () => {
    const { ask, clock, service, charges, engine } = await start(MIDNIGHT - 1_000);
    const { query } = service.ledger.dynamo;
    const late = Promise.withResolvers<void>();
    const hasRead = Promise.withResolvers<void>();
    let reads = 0;
    const slow: Dynamo["query"] = async (request) => {
      const page = await query(request);
      if (++reads === 3) hasRead.resolve();
      if (reads <= 3) await late.promise;
      return page;
    };
    Object.assign(service.ledger.dynamo, { query: slow });
    clock.pass(2_000);
    const behind = ask();
    await hasRead.promise;
    clock.pass(-2_000);
    expect((await ask()).status).toBe(200);
    clock.pass(2_000);
    late.resolve();
    expect((await behind).status).toBe(429);
    expect((await ask()).headers.get("Idempotent-Replayed")).toBe("true");
    expect(charges().toSorted()).toEqual(["OK 2", "RATE_LIMITED 0"]);
    expect(balancesOf(engine)).toMatchObject({ held: 0, charged: 2 });
  });
});

describe("an Idempotency-Key", () => {
  it.each(["", " ", "a b", "x".repeat(256), "a, b"])("like %j is refused", async (key) => {
    const { ask, platform } = await start();
    const response = await ask({ "idempotency-key": key });
    expect([200, 400]).toContain(response.status);
    if (key.trim() !== "") expect(response.status).toBe(400);
    if (response.status === 400) expect(platform.asked).toBe(0);
  });

  it.each(["x", "x".repeat(255), '"quoted"', "!~"])("like %j is accepted", async (key) => {
    const { ask } = await start();
    expect((await ask({ "idempotency-key": key })).status).toBe(200);
  });

  it("that is not sent costs no read and changes nothing", async () => {
    const queries: unknown[] = [];
    const started = await start();
    const { query } = started.service.ledger.dynamo;
    Object.assign(started.service.ledger.dynamo, {
      query: (request: Parameters<Dynamo["query"]>[0]) => {
        queries.push(request);
        return query(request);
      },
    });
    await started.ask({});
    await started.ask({});
    expect(queries).toEqual([]);
    expect(started.charges()).toEqual(["OK 2", "OK 2"]);
    expect(started.engine.scan(LEDGER).some((item) => "request_hash" in item)).toBe(false);
  });

  it("of the whole day is read at most twice away from midnight", async () => {
    const days: unknown[] = [];
    const started = await start(dayOf(NOON) + DAY_MS / 2);
    const { query } = started.service.ledger.dynamo;
    Object.assign(started.service.ledger.dynamo, {
      query: (request: Parameters<Dynamo["query"]>[0]) => {
        days.push(request);
        return query(request);
      },
    });
    await started.ask();
    expect(days).toHaveLength(2);
  });
});

describe("the credits in the headers", () => {
  const credits = ({ headers }: Response) => [
    headers.get("X-Credits-Charged"),
    headers.get("X-Credits-Available"),
  ];

  it("are those after the request", async () => {
    const { ask, platform } = await start();
    expect(credits(await ask({}))).toEqual(["2", "18"]);
    platform.answer = async () => new Response(null, { status: 500 });
    expect(credits(await ask({}))).toEqual(["0", "18"]);
  });

  it("are on a 402 too, and not on what never reserved", async () => {
    const { ask } = await start();
    const poor = { ...POST, max_results: 20 };
    await ask({});
    const refused = await ask({}, poor);
    expect(refused.status).toBe(402);
    expect(credits(refused)).toEqual(["0", "18"]);
    expect(credits(await ask({}, { ...POST, url: "https://x.com/" }))).toEqual([null, null]);
    expect(credits(await ask({ authorization: "Bearer no" }))).toEqual([null, null]);
  });
});
