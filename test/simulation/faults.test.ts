import { describe, expect, it } from "vitest";
import { topUp } from "../../infra/ops/topup.ts";
import { success } from "../../src/contract/result.ts";
import { SERVICES } from "../../src/contract/schemas.ts";
import { OPEN_HOLDS_MAX } from "../../src/credits/limits.ts";
import { authenticator } from "../../src/credits/record-mac.ts";
import { reserve } from "../../src/credits/reserve.ts";
import { sweep } from "../../src/credits/sweep.ts";
import type { Source } from "../../src/search/resolver.ts";
import type { Dynamo } from "../../src/store/dynamodb.ts";
import { ACCOUNTS, balancesOf, KEYS, LEDGER } from "../support/memory-dynamodb/store.ts";
import { type Fault, HOLD_LIFE_MS, items, openStage, type Plan, told, WINDOW_MS } from "./stage.ts";

import { SIMULATED } from "./upstream.ts";

/** One test for each fault that the design names, in the design's order. */

const SOUND = { violations: [], held: 0, holds: 0 };
/** A request that finds three items at two credits each. */
const CHARGED = { ...SOUND, available: 94, charged: 6 };
const REFUNDED = { ...SOUND, available: 100, charged: 0 };

/** What one request with these faults is told, and what remains at the end. */
async function outcome(
  plan: Plan,
  other: Parameters<Awaited<ReturnType<typeof openStage>>["service"]>[1] = {},
) {
  const stage = await openStage();
  const asked = stage.ask(stage.service(plan, other));
  await stage.scheduler.drain();
  return { told: told(asked), ...(await stage.finish()) };
}

/** The one source has the whole window, and the patience for it. */
const { "messenger-channel": channel, ...others } = SIMULATED;
const ONE_SOURCE = {
  ...others,
  "messenger-channel": { ...channel, sources: channel.sources.slice(-1) },
};

describe("a crash", () => {
  const cases: [string, Plan, object][] = [
    ["before the reserve", { 1: "crash before" }, REFUNDED],
    ["after the reserve", { 1: "crash after" }, REFUNDED],
    ["before the commit", { 2: "crash before" }, REFUNDED],
    ["after the commit", { 2: "crash after" }, CHARGED],
  ];
  it.each(cases)("%s tells nobody anything and loses nothing", async (_, plan, end) => {
    expect(await outcome(plan)).toMatchObject({ told: null, ...end });
  });

  it.each(["crash before", "crash after"] as const)(
    "at the release (%s) changes nothing",
    async (fault) => {
      expect(await outcome({ 3: fault })).toMatchObject({ told: 6, ...CHARGED });
    },
  );

  it("while the platform is asked is refunded by the sweep", async () => {
    const fetch = () => new Promise<never>(() => {});
    const timer = () => () => {};
    expect(await outcome({}, { fetch, timer })).toMatchObject({ told: null, ...REFUNDED });
  });
});

describe("each write", () => {
  const writes = [1, 2, 3];
  const faults: Fault[] = ["lost reply", "lost before", "throttled", "transaction conflict"];
  const cases = writes.flatMap((write) => faults.map((fault) => [write, fault] as const));
  it.each(cases)("number %d may meet %j and is made good", async (write, fault) => {
    expect(await outcome({ [write]: fault })).toMatchObject({ told: 6, ...CHARGED });
  });

  const late = writes.flatMap((write) =>
    [
      ["the response", 40],
      ["the release", 3_000],
      ["the hold's expiry", 2 * HOLD_LIFE_MS],
    ].map(([what, landsAfterMs]) => [write, what, landsAfterMs] as const),
  );
  it.each(late)("number %d may land after %s", async (write, _, landsAfterMs) => {
    const fault = { landsAfterMs: Number(landsAfterMs) };
    expect(await outcome({ [write]: fault })).toMatchObject({ told: 6, ...CHARGED });
  });
});

describe("throttling and failures of a read", () => {
  it("of the key is answered 502, and reserves nothing", async () => {
    const read: Dynamo["read"] = async () => ({ outcome: "unknown", cause: "throttled" });
    const stage = await openStage();
    const asked = stage.ask(stage.service({}, { dynamo: { ...stage.engine.dynamo, read } }));
    expect(await stage.finish()).toMatchObject({ ...REFUNDED, records: new Map() });
    expect(told(asked)).toBe("UPSTREAM_ERROR");
  });

  it("in the sweep leaves the rest to the next", async () => {
    const stage = await openStage();
    stage.ask(stage.service({ 2: "crash before" }));
    await stage.scheduler.drain();
    stage.scheduler.pass(HOLD_LIFE_MS);
    const { ledger } = stage.service();
    const unknown = async () => ({ outcome: "unknown", cause: "throttled" }) as const;
    const deaf = { ...ledger, dynamo: { ...ledger.dynamo, read: unknown } };
    expect(await sweep(deaf)).toEqual({ accounts: 1, healed: 0, left: 1 });
    const blind = { ...ledger, dynamo: { ...ledger.dynamo, query: unknown } };
    await expect(sweep(blind)).rejects.toThrow("throttled");
    expect(await stage.finish()).toMatchObject(REFUNDED);
  });
});

describe("the sweep", () => {
  /** Two requests: one died after its commit, one before it. Both holds have expired. */
  async function abandoned() {
    const stage = await openStage();
    stage.ask(stage.service({ 2: "crash after" }));
    stage.ask(stage.service({ 2: "crash before" }));
    await stage.scheduler.drain();
    stage.scheduler.pass(HOLD_LIFE_MS);
    return stage;
  }

  it("may run twice at once", async () => {
    const stage = await abandoned();
    void sweep(stage.service().ledger);
    void sweep(stage.service().ledger);
    expect(await stage.finish()).toMatchObject({ ...CHARGED, records: { size: 2 } });
  });

  it.each([1, 2, 3, 4])("may die at its write number %d", async (write) => {
    for (const fault of ["crash before", "crash after"] as const) {
      const stage = await abandoned();
      void sweep(stage.service({ [write]: fault }).ledger);
      expect(await stage.finish()).toMatchObject(CHARGED);
    }
  });

  it.each([-60_000, 60_000])("may run on a clock that is off by %d ms", async (skewMs) => {
    const stage = await openStage();
    const { scheduler } = stage;
    const skewed = stage.service({}, { now: () => scheduler.now() + skewMs });
    const fetch = slowly(scheduler, WINDOW_MS - 100);
    const asked = stage.ask(stage.service({}, { resolvers: ONE_SOURCE, fetch }));
    for (let minute = 1; minute < 5; minute++) {
      scheduler.after(minute * 60_000 - 500, () => void sweep(skewed.ledger));
    }
    await scheduler.drain();
    expect(told(asked)).toBe(6);
    expect(await stage.finish()).toMatchObject(CHARGED);
  });

  it("that races a settlement leaves one record, and the client is told what it says", async () => {
    for (let leadMs = -20; leadMs <= 20; leadMs += 5) {
      const stage = await openStage();
      const { scheduler } = stage;
      // The commit is sent at 5 ms, when the reserve ends. This sweep takes every hold for expired.
      const early = stage.service({}, { now: () => scheduler.now() + 2 * HOLD_LIFE_MS });
      const asked = stage.ask(stage.service({}, { fetch: slowly(scheduler, 50) }));
      scheduler.after(55 + leadMs, () => void sweep(early.ledger));
      await scheduler.drain();
      const said = told(asked);
      const end = await stage.finish();
      expect(end).toMatchObject({ held: 0, holds: 0, charged: said === 6 ? 6 : 0 });
      expect([6, "UPSTREAM_ERROR"]).toContain(said);
      expect(end.records.size).toBe(1);
    }
  });

  it("acts on the account, not on what a stale index or read says", async () => {
    const stage = await openStage();
    const { ledger } = stage.service();
    stage.ask(stage.service({ 3: "crash before" }));
    await stage.scheduler.drain();
    const address = { TableName: ACCOUNTS, Key: { account: { S: stage.account } } };
    const stale = await stage.engine.dynamo.read(address);
    const index = { items: [{ account: { S: stage.account } }], next: null };
    stage.scheduler.pass(HOLD_LIFE_MS);
    const first = sweep(ledger);
    await stage.scheduler.drain();
    expect(await first).toMatchObject({ healed: 1 });
    const dynamo = {
      ...ledger.dynamo,
      read: async () => stale,
      query: async () => ({ outcome: "read", ...index }) as const,
    };
    const late = sweep({ ...ledger, dynamo });
    await stage.scheduler.drain();
    await late;
    expect(await stage.finish()).toMatchObject(CHARGED);
  });

  it("skipped ten times makes up for it at the eleventh", async () => {
    const stage = await abandoned();
    stage.scheduler.pass(10 * 60_000);
    expect(await stage.finish()).toMatchObject(CHARGED);
    expect(stage.logs).toContainEqual(expect.objectContaining({ event: "hold_overdue" }));
  });
});

describe("many at once", () => {
  it("200 reserves of 7 on 1,000 credits: exactly 142 succeed", async () => {
    const stage = await openStage({ credits: 1_000 });
    const posts = [
      { service: "microblog", url: "https://x.com/a/status/1" },
      { service: "short-video", url: "https://www.tiktok.com/@a/video/1" },
    ] as const;
    const fetch = () => new Promise<never>(() => {});
    const service = stage.service({}, { fetch, timer: () => () => {} });
    const all = Array.from({ length: 100 }, () => posts)
      .flat()
      .map((post) => stage.ask(service, { wanted: { ...post, max_results: 7 } }));
    await stage.scheduler.drain();
    expect(all.filter((asked) => told(asked) === null)).toHaveLength(142);
    expect(all.filter((asked) => told(asked) === "INSUFFICIENT_CREDITS")).toHaveLength(58);
    expect(balancesOf(stage.engine)).toMatchObject({ available: 6, held: 994, holds: 142 });
    expect(await stage.finish()).toMatchObject({ ...SOUND, available: 1_000 });
  });

  it("above the cap of open holds is 429, until some expire", async () => {
    const stage = await openStage({ credits: 1_000 });
    const { ledger } = stage.service();
    const one = (at: number) => {
      const requestId = `019a3a5c-0000-7000-8000-${String(at).padStart(12, "0")}`;
      const service = SERVICES[at % SERVICES.length] ?? "microblog";
      const done = reserve(ledger, { account: stage.account, requestId, service, credits: 1 });
      return stage.scheduler.drain().then(() => done);
    };
    for (let at = 0; at < OPEN_HOLDS_MAX; at++) await one(at);
    expect(await one(OPEN_HOLDS_MAX)).toMatchObject({ failure: { code: "RATE_LIMITED" } });
    stage.scheduler.pass(HOLD_LIFE_MS);
    expect(await one(OPEN_HOLDS_MAX + 1)).toMatchObject({ ok: true });
    expect(await stage.finish()).toMatchObject({ ...SOUND, available: 1_000 });
  });
});

/** A platform that answers with three items, after a delay. */
function slowly(
  scheduler: { after: (delayMs: number, action: () => void) => unknown },
  delayMs: number,
): typeof fetch {
  return async () => {
    await new Promise<void>((wake) => void scheduler.after(delayMs, wake));
    return items(3);
  };
}

describe("a platform", () => {
  const endless = (chunk: Uint8Array) =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
  const dripping = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
  const cases: [string, () => Promise<Response>, string | number][] = [
    ["hangs", () => new Promise(() => {}), "UPSTREAM_TIMEOUT"],
    ["drips", async () => dripping(), "UPSTREAM_TIMEOUT"],
    ["sends too much", async () => endless(new Uint8Array(100_000)), "UPSTREAM_INVALID_RESPONSE"],
    ["sends nonsense", async () => new Response("<html>"), "UPSTREAM_INVALID_RESPONSE"],
    ["has no such post", async () => new Response("", { status: 404 }), "MEDIA_NOT_FOUND"],
  ];
  it.each(cases)("that %s is paid nothing", async (_, fetch, code) => {
    const abortable: typeof globalThis.fetch = (_input, init) =>
      Promise.race([
        fetch(),
        new Promise<never>((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
        }),
      ]);
    expect(await outcome({}, { fetch: abortable })).toMatchObject({ told: code, ...REFUNDED });
  });

  it("that has more items than were asked for is paid for those asked for", async () => {
    expect(await outcome({}, { fetch: async () => items(50) })).toMatchObject({
      told: 20,
      charged: 20,
      available: 80,
    });
  });

  it.each([
    [119_900, 6, CHARGED],
    [120_100, "UPSTREAM_TIMEOUT", REFUNDED],
  ] as const)("of one source that answers after %d ms: %s", async (delayMs, answer, end) => {
    const stage = await openStage();
    const fetch = slowly(stage.scheduler, delayMs);
    const asked = stage.ask(stage.service({}, { resolvers: ONE_SOURCE, fetch }));
    await stage.scheduler.drain();
    expect(told(asked)).toBe(answer);
    expect(await stage.finish()).toMatchObject(end);
  });
});

describe("a client that goes away", () => {
  it("before settlement pays nothing", async () => {
    const stage = await openStage();
    const client = new AbortController();
    const service = stage.service({}, { fetch: slowly(stage.scheduler, 1_000) });
    stage.ask(service, { signal: client.signal });
    stage.scheduler.after(500, () => client.abort());
    await stage.scheduler.drain();
    // The refund comes at once, not from the sweep.
    expect(balancesOf(stage.engine)).toMatchObject({ available: 100, held: 0, holds: 0 });
    expect(await stage.finish()).toMatchObject(REFUNDED);
  });

  it("in the moment of the answer pays nothing", async () => {
    const stage = await openStage();
    const client = new AbortController();
    const find: Source["find"] = async () => {
      queueMicrotask(() => client.abort());
      const metadata = { title: null, author: null, caption: null };
      return success({ items: [{ type: "image", url: "https://telesco.pe/1" }], metadata });
    };
    const sources = [{ name: "quick", find }];
    const resolvers = { ...others, "messenger-channel": { ...channel, sources } };
    stage.ask(stage.service({}, { resolvers }), { signal: client.signal });
    expect(await stage.finish()).toMatchObject(REFUNDED);
  });

  it("after settlement has paid for what was found, and no more", async () => {
    const stage = await openStage();
    const client = new AbortController();
    stage.ask(stage.service(), { signal: client.signal });
    stage.scheduler.after(12, () => client.abort());
    expect(await stage.finish()).toMatchObject(CHARGED);
  });

  it("takes waitUntil with it: the sweep releases with the ledger's charge", async () => {
    expect(await outcome({ 3: "crash before" })).toMatchObject({ told: 6, ...CHARGED });
  });
});

describe("meanwhile", () => {
  it("a key is revoked: the request that runs ends as ever, the next reserves nothing", async () => {
    const stage = await openStage();
    const running = stage.ask(stage.service({}, { fetch: slowly(stage.scheduler, 1_000) }));
    let next: typeof running | undefined;
    stage.scheduler.after(500, () => {
      void stage.engine.dynamo
        .update({
          TableName: KEYS,
          Key: { key_id: { S: stage.keyId } },
          UpdateExpression: "SET #status = :revoked",
          ConditionExpression: "attribute_exists(key_id)",
          ExpressionAttributeNames: { "#status": "status" },
          ExpressionAttributeValues: { ":revoked": { S: "revoked" } },
        })
        .then(() => {
          next = stage.ask(stage.service());
        });
    });
    await stage.scheduler.drain();
    expect(told(running)).toBe(6);
    expect(next && told(next)).toBe("API_KEY_INVALID");
    expect(await stage.finish()).toMatchObject({ ...CHARGED, records: { size: 1 } });
  });

  it("a grant races a reserve: both count, and once", async () => {
    for (let leadMs = 0; leadMs <= 25; leadMs++) {
      const stage = await openStage({ credits: 15 });
      const { dynamo } = stage.service().ledger;
      const tables = {
        accounts: ACCOUNTS,
        ledger: LEDGER,
        dynamo,
        now: stage.scheduler.now,
        authenticate: authenticator(null),
      };
      const grant = { account: stage.account, kind: "grant", credits: 5, reference: "r" } as const;
      void topUp(tables, grant);
      let asked: ReturnType<typeof stage.ask> | undefined;
      stage.scheduler.after(leadMs, () => {
        asked = stage.ask(stage.service());
      });
      await stage.scheduler.drain();
      const answer = asked === undefined ? null : told(asked);
      expect([6, "INSUFFICIENT_CREDITS"]).toContain(answer);
      const charged = answer === 6 ? 6 : 0;
      expect(await stage.finish()).toMatchObject({ ...SOUND, charged, available: 20 - charged });
    }
  });

  it("the month ends: the record stands in the month of the request id, for the sweep too", async () => {
    const startMs = Date.UTC(2026, 10, 1) - 50;
    for (const [plan, end] of [
      [{}, CHARGED],
      [{ 2: "crash after" }, CHARGED],
    ] as const) {
      const stage = await openStage({ startMs });
      stage.ask(stage.service(plan, { fetch: slowly(stage.scheduler, 1_000) }));
      expect(await stage.finish()).toMatchObject({ ...end, records: { size: 1 } });
      const [record] = stage.engine.scan(LEDGER);
      expect(record?.["account_period"]).toEqual({ S: `${stage.account}#2026-10` });
      expect(stage.scheduler.now()).toBeGreaterThan(Date.UTC(2026, 10, 1));
    }
  });

  it.each([
    [20, 20, 0],
    [19, "INSUFFICIENT_CREDITS", 19],
    [0, "INSUFFICIENT_CREDITS", 0],
    [Number.MAX_SAFE_INTEGER, 20, Number.MAX_SAFE_INTEGER - 20],
  ] as const)("a balance of %d stands at the edge: %s", async (credits, answer, available) => {
    const stage = await openStage({ credits });
    const asked = stage.ask(stage.service({}, { fetch: async () => items(10) }));
    await stage.scheduler.drain();
    expect(told(asked)).toBe(answer);
    expect(await stage.finish()).toMatchObject({ ...SOUND, available });
  });
});

describe("a movement of credits", () => {
  it.each([
    ["purchase", 5, 105],
    ["adjustment", -5, 95],
  ] as const)(
    "of kind %s counts once, though its announcement lands again",
    async (kind, credits, end) => {
      const stage = await openStage();
      const wanted = { account: stage.account, kind, credits, reference: "r" };
      const late = stage.service({ 1: { landsAfterMs: 60_000 } }).ledger.dynamo;
      const tables = {
        accounts: ACCOUNTS,
        ledger: LEDGER,
        now: stage.scheduler.now,
        authenticate: authenticator(null),
      };
      const first = topUp({ ...tables, dynamo: late }, wanted);
      const { dynamo } = stage.engine;
      stage.scheduler.after(1_000, () => void topUp({ ...tables, dynamo }, wanted));
      await stage.scheduler.drain();
      expect(await first).toMatchObject({ ok: false });
      expect(await stage.finish()).toMatchObject({ ...SOUND, available: end });
      const [account] = stage.engine.scan(ACCOUNTS);
      expect(account?.["granted"]).toEqual({ N: String(end) });
      expect(account?.["pending"]).toEqual({ M: {} });
    },
  );
});

describe("an outage that outlasts the hold", () => {
  it("ends in 502 and an alarm, and the credits are conserved though the commit landed", async () => {
    const stage = await openStage();
    // The commit lands unseen, and no later attempt gets an answer.
    const plan: Record<number, Fault> = { 2: "lost reply" };
    for (let write = 3; write < 500; write++) plan[write] = "lost before";
    const asked = stage.ask(stage.service(plan));
    await stage.scheduler.drain();
    expect(told(asked)).toBe("UPSTREAM_ERROR");
    expect(stage.logs).toContainEqual({
      event: "settlement_unknown",
      alarm: true,
      account: stage.account,
      request_id: asked.requestId,
      nonce: expect.any(String),
    });
    expect(await stage.finish()).toMatchObject(CHARGED);
  });

  it("is no alarm while an answer comes in time", async () => {
    const stage = await openStage();
    const plan: Record<number, Fault> = { 2: "lost reply" };
    for (let write = 3; write < 20; write++) plan[write] = "lost before";
    const asked = stage.ask(stage.service(plan));
    await stage.scheduler.drain();
    expect(told(asked)).toBe(6);
    expect(await stage.finish()).toMatchObject(CHARGED);
    expect(stage.logs.filter(({ alarm }) => alarm)).toEqual([]);
  });

  it("before the reserve is known adopts no hold that is about to expire", async () => {
    const stage = await openStage();
    const service = stage.service({ 1: "lost reply" });
    // The process stops between the attempts.
    const sleep = async () => stage.scheduler.pass(30_000);
    const stalled = { ...service, ledger: { ...service.ledger, sleep } };
    const asked = stage.ask(stalled);
    await stage.scheduler.drain();
    expect(told(asked)).toBe("UPSTREAM_ERROR");
    expect(await stage.finish()).toMatchObject(REFUNDED);
  });
});
