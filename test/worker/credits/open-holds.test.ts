import { describe, expect, it } from "vitest";
import { SERVICES, type Service } from "../../../src/contract/schemas.ts";
import type { Hold } from "../../../src/credits/ledger.ts";
import {
  OPEN_HOLDS_MAX,
  OPEN_HOLDS_RETRY_MAX_SECONDS,
  SERVICE_OPEN_HOLDS_MAX,
} from "../../../src/credits/limits.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import {
  ACCOUNTS,
  addAccount,
  balancesOf,
  countersOf,
  createClock,
  createTestEngine,
  testLedger,
} from "../../support/service.ts";

const CREDITS = 10_000;
const WHOLE = { available: CREDITS, held: 0, charged: 0, holds: 0 };

async function start() {
  const engine = createTestEngine();
  const account = await addAccount(engine.dynamo, { credits: CREDITS });
  const clock = createClock();
  const ledger = testLedger(engine.dynamo, { now: clock.now, sleep: clock.sleep });
  let requests = 0;
  const ask = (service: Service, credits = 1) => {
    const requestId = `019a3a5c-0000-7000-8000-${String(requests++).padStart(12, "0")}`;
    return reserve(ledger, { account, requestId, service, credits });
  };
  /** Opens that many holds, which must succeed. */
  const open = async (service: Service, count: number) => {
    const holds: Hold[] = [];
    for (let at = 0; at < count; at++) {
      const hold = await ask(service);
      if (!hold.ok) throw new Error(hold.failure.cause);
      holds.push(hold.value);
    }
    return holds;
  };
  return { engine, account, clock, ledger, ask, open };
}

describe("a service's counter", () => {
  it("is back at 0 after a request that was charged", async () => {
    const { engine, ledger, open } = await start();
    const [hold] = await open("messenger-channel", 1);
    if (hold === undefined) throw new Error("no hold");
    const done = { keyId: "key_1", service: "messenger-channel", outcome: "OK" } as const;
    await settle(ledger, hold, { ...done, itemCount: 1, multiplier: 1 });
    await release(ledger, hold, 1);
    expect(countersOf(engine)).toEqual({ open_messenger_channel: 0 });
    expect(balancesOf(engine)).toEqual({ ...WHOLE, available: CREDITS - 1, charged: 1 });
  });

  it("counts each open hold once, whichever way the hold ends", async () => {
    const { engine, clock, ledger, open } = await start();
    const [first, second] = await open("photo-feed", 2);
    await open("photo-feed-story", 1);
    expect(countersOf(engine)).toEqual({ open_photo_feed: 2, open_photo_feed_story: 1 });
    if (first === undefined || second === undefined) throw new Error("no hold");
    for (let times = 0; times < 2; times++) expect(await release(ledger, first, 0)).toBe(true);
    expect(countersOf(engine)).toEqual({ open_photo_feed: 1, open_photo_feed_story: 1 });
    clock.pass(ledger.holdLifeMs);
    await Promise.all([sweep(ledger), sweep(ledger), release(ledger, second, 0)]);
    expect(countersOf(engine)).toEqual({ open_photo_feed: 0, open_photo_feed_story: 0 });
    expect(balancesOf(engine)).toEqual(WHOLE);
  });

  it("is not touched by the release of a hold from before the counters", async () => {
    const { engine, account, clock, ledger, open } = await start();
    const [counted, old] = await open("pinboard", 2);
    if (counted === undefined || old === undefined) throw new Error("no hold");
    await engine.dynamo.update({
      TableName: ACCOUNTS,
      Key: { account: { S: account } },
      UpdateExpression: "SET open_pinboard = :one REMOVE holds.#request.s",
      ConditionExpression: "attribute_exists(account)",
      ExpressionAttributeNames: { "#request": old.requestId },
      ExpressionAttributeValues: { ":one": { N: "1" } },
    });
    await release(ledger, counted, 0);
    clock.pass(ledger.holdLifeMs);
    expect(await sweep(ledger)).toEqual({ accounts: 1, healed: 1, left: 0 });
    expect(countersOf(engine)).toEqual({ open_pinboard: 0 });
    expect(balancesOf(engine)).toEqual(WHOLE);
  });

  it("that somebody removed keeps no credits from coming back", async () => {
    const { engine, account, ledger, open } = await start();
    const [hold] = await open("pinboard", 1);
    await engine.dynamo.update({
      TableName: ACCOUNTS,
      Key: { account: { S: account } },
      UpdateExpression: "REMOVE open_pinboard",
      ConditionExpression: "attribute_exists(account)",
    });
    if (hold !== undefined) await release(ledger, hold, 0);
    expect(balancesOf(engine)).toEqual(WHOLE);
  });
});

describe("a service with as many open holds as one may have", () => {
  it("gets 429, and every other service goes on", async () => {
    const { engine, ledger, ask, open } = await start();
    const holds = await open("photo-feed", SERVICE_OPEN_HOLDS_MAX);
    expect(await ask("photo-feed")).toMatchObject({
      failure: {
        code: "RATE_LIMITED",
        message:
          "Too many open requests: an account may have 120 of them for photo-feed. A request is open " +
          "until it is answered. Retry when some of them have been.",
        spent: { policy: "holds", quota: SERVICE_OPEN_HOLDS_MAX, unit: "concurrent-requests" },
      },
    });
    for (const service of SERVICES.filter((other) => other !== "photo-feed")) {
      expect((await ask(service)).ok).toBe(true);
    }
    expect(balancesOf(engine)).toMatchObject({ holds: SERVICE_OPEN_HOLDS_MAX + 6 });
    for (const hold of holds.slice(0, 2)) await release(ledger, hold, 0);
    await open("photo-feed", 2);
    expect((await ask("photo-feed")).ok).toBe(false);
  });

  it("gets 429 before a 402, and no more than its share of parallel requests", async () => {
    const { engine, ask } = await start();
    const asked = Array.from({ length: 2 * SERVICE_OPEN_HOLDS_MAX }, () => ask("microblog"));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(SERVICE_OPEN_HOLDS_MAX);
    expect(countersOf(engine)).toEqual({ open_microblog: SERVICE_OPEN_HOLDS_MAX });
    expect(await ask("microblog", CREDITS)).toMatchObject({ failure: { code: "RATE_LIMITED" } });
    expect(await ask("pinboard", CREDITS)).toMatchObject({
      failure: { code: "INSUFFICIENT_CREDITS" },
    });
  });

  it("has room again once some have expired, though larger holds of others have too", async () => {
    const { engine, clock, ledger, ask, open } = await start();
    await open("photo-feed", SERVICE_OPEN_HOLDS_MAX);
    for (let at = 0; at < 20; at++) expect((await ask("pinboard", 20)).ok).toBe(true);
    clock.pass(ledger.holdLifeMs);
    expect((await ask("photo-feed")).ok).toBe(true);
    expect(countersOf(engine)).toMatchObject({ open_pinboard: 20 });
    expect(balancesOf(engine).holds).toBeLessThan(SERVICE_OPEN_HOLDS_MAX + 20);
  });

  it.each([
    ["a moment ago", 0, OPEN_HOLDS_RETRY_MAX_SECONDS],
    ["100.5 s ago", 100_500, 20],
    ["119.9 s ago", 119_900, 1],
    ["150 s ago, and is lost", 150_000, 1],
  ])("is asked to retry when the oldest, begun %s, must have ended", async (_, agoMs, seconds) => {
    const { clock, ask, open } = await start();
    await open("pinboard", 1);
    await open("photo-feed", 1);
    clock.pass(agoMs);
    await open("photo-feed", SERVICE_OPEN_HOLDS_MAX - 1);
    expect(await ask("photo-feed")).toMatchObject({ failure: { retryAfterSeconds: seconds } });
  });
});

describe("an account with as many open holds as it may have", () => {
  it("gets 429 for every service, which names that limit", async () => {
    const { engine, clock, ask, open } = await start();
    await open("photo-feed", SERVICE_OPEN_HOLDS_MAX);
    clock.pass(110_000);
    await open("microblog", SERVICE_OPEN_HOLDS_MAX);
    await open("pinboard", OPEN_HOLDS_MAX - 2 * SERVICE_OPEN_HOLDS_MAX);
    for (const service of SERVICES) {
      expect(await ask(service)).toMatchObject({
        failure: {
          code: "RATE_LIMITED",
          message: expect.stringContaining("an account may have 250 of them in all."),
          retryAfterSeconds: 10,
          spent: { policy: "holds", quota: OPEN_HOLDS_MAX, unit: "concurrent-requests" },
        },
      });
    }
    expect(balancesOf(engine)).toMatchObject({ holds: OPEN_HOLDS_MAX });
  });
});
