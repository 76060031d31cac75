import { describe, expect, it } from "vitest";
import type { Hold, Ledger } from "../../../src/credits/ledger.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import type { ConditionalUpdate, Dynamo, Write } from "../../../src/store/dynamodb.ts";
import {
  ACCOUNTS,
  addAccount,
  balancesOf,
  createClock,
  createTestEngine,
  LEDGER,
  testLedger,
} from "../../support/service.ts";

const REQUEST = "019a3a5c-0000-7000-8000-000000000001";
const WANTED = {
  account: "acct_test",
  requestId: REQUEST,
  service: "messenger-channel",
  credits: 20,
} as const;
const DONE = {
  keyId: "key_1",
  service: "messenger-channel",
  outcome: "OK",
  itemCount: 3,
  multiplier: 2,
} as const;
const FAILED = { ...DONE, outcome: "MEDIA_NOT_FOUND", itemCount: 0 } as const;

async function start(credits = 100) {
  const engine = createTestEngine();
  await addAccount(engine.dynamo, { credits });
  const clock = createClock();
  const ledger = testLedger(engine.dynamo, { now: clock.now, sleep: clock.sleep });
  return { engine, clock, ledger };
}

async function reserved(ledger: Ledger, requestId = REQUEST): Promise<Hold> {
  const hold = await reserve(ledger, { ...WANTED, requestId });
  if (!hold.ok) throw new Error(hold.failure.cause);
  return hold.value;
}

/** The store, with a fault in its n-th update or put. */
function faulty(dynamo: Dynamo, faults: Record<number, "lost before" | "lost reply">): Dynamo {
  let calls = 0;
  const through = async <T>(request: T, call: (request: T) => Promise<Write>): Promise<Write> => {
    const fault = faults[++calls];
    if (fault === "lost before") return { outcome: "unknown", cause: fault };
    const write = await call(request);
    return fault === "lost reply" ? { outcome: "unknown", cause: fault } : write;
  };
  return {
    ...dynamo,
    put: (request) => through(request, dynamo.put),
    update: (request) => through(request, dynamo.update),
  };
}

describe("a request's credits", () => {
  it("are held at once, charged per item and returned for the rest", async () => {
    const { engine, ledger } = await start();
    const hold = await reserved(ledger);
    expect(balancesOf(engine)).toEqual({ available: 80, held: 20, charged: 0, holds: 1 });
    expect(await settle(ledger, hold, DONE)).toEqual({ charge: 6, other: null });
    expect(await release(ledger, hold, 6)).toBe(true);
    expect(balancesOf(engine)).toEqual({ available: 94, held: 0, charged: 6, holds: 0 });
  });

  it("come back whole after a failure, and the ledger says so with charge 0", async () => {
    const { engine, ledger } = await start();
    const hold = await reserved(ledger);
    expect(await settle(ledger, hold, FAILED)).toEqual({ charge: 0, other: null });
    await release(ledger, hold, 0);
    expect(balancesOf(engine)).toEqual({ available: 100, held: 0, charged: 0, holds: 0 });
    expect(engine.scan(LEDGER)).toMatchObject([
      { charge: { N: "0" }, reserved: { N: "20" }, outcome: { S: "MEDIA_NOT_FOUND" } },
    ]);
  });

  it("are not charged twice by a second release", async () => {
    const { engine, ledger } = await start();
    const hold = await reserved(ledger);
    await settle(ledger, hold, DONE);
    await release(ledger, hold, 6);
    expect(await release(ledger, hold, 6)).toBe(true);
    expect(balancesOf(engine)).toEqual({ available: 94, held: 0, charged: 6, holds: 0 });
  });

  it("refuse a charge above the reservation", async () => {
    const { ledger } = await start();
    const hold = await reserved(ledger);
    await expect(settle(ledger, hold, { ...DONE, itemCount: 11 })).rejects.toThrow("above");
  });
});

describe("reserve", () => {
  it("answers 402 when the account cannot hold the credits, and changes nothing", async () => {
    const { engine, ledger } = await start(19);
    const refused = await reserve(ledger, WANTED);
    expect(refused).toMatchObject({
      failure: { code: "INSUFFICIENT_CREDITS", message: expect.stringMatching(/20 .* 19 /) },
    });
    expect(balancesOf(engine)).toEqual({ available: 19, held: 0, charged: 0, holds: 0 });
  });

  it.each([
    ["suspended", { status: "suspended" }],
    ["unverified", { verified: false }],
  ])("answers 401 for an account that is %s", async (_, account) => {
    const engine = createTestEngine();
    await addAccount(engine.dynamo, account);
    const refused = await reserve(testLedger(engine.dynamo), WANTED);
    expect(refused).toMatchObject({ failure: { code: "API_KEY_INVALID" } });
  });

  it("answers 401 for an account that is gone", async () => {
    const refused = await reserve(testLedger(createTestEngine().dynamo), WANTED);
    expect(refused).toMatchObject({ failure: { code: "API_KEY_INVALID" } });
  });

  it("adopts its own hold when the reply to it was lost", async () => {
    const { engine, ledger } = await start();
    const lossy = { ...ledger, dynamo: faulty(ledger.dynamo, { 1: "lost reply" }) };
    const hold = await reserved(lossy);
    expect(balancesOf(engine)).toEqual({ available: 80, held: 20, charged: 0, holds: 1 });
    await settle(ledger, hold, DONE);
    await release(ledger, hold, 6);
    expect(balancesOf(engine)).toEqual({ available: 94, held: 0, charged: 6, holds: 0 });
  });

  it("tries again with another nonce when an attempt got lost", async () => {
    const { ledger } = await start();
    const seen: (string | undefined)[] = [];
    const watched = (request: ConditionalUpdate) => {
      seen.push(request.ExpressionAttributeValues?.[":hold"]?.M?.["nonce"]?.S);
      return faulty(ledger.dynamo, seen.length === 1 ? { 1: "lost before" } : {}).update(request);
    };
    await reserved({ ...ledger, dynamo: { ...ledger.dynamo, update: watched } });
    expect(new Set(seen).size).toBe(2);
  });

  it.each([
    [100, { ok: true, value: { credits: 20, available: 80 } }],
    [10, { failure: { code: "INSUFFICIENT_CREDITS", available: 10 } }],
  ])("is tried again until it is known, and is with %i credits", async (credits, known) => {
    const { engine, ledger } = await start(credits);
    const [account] = engine.scan(ACCOUNTS);
    const item = { ...account, available: { N: "100" }, granted: { N: "100" } };
    let refused = 0;
    // Each time, what the refusal was for is gone when the account is looked at.
    const update = async (request: ConditionalUpdate): Promise<Write> =>
      refused++ < 6 ? { outcome: "refused", item } : ledger.dynamo.update(request);
    const crowded = { ...ledger, dynamo: { ...ledger.dynamo, update } };
    expect(await reserve(crowded, WANTED)).toMatchObject(known);
    expect(refused).toBe(7);
    const held = "value" in known ? 20 : 0;
    expect(balancesOf(engine)).toMatchObject({ available: credits - held, held });
  });

  it("answers 502 when the store stays silent, and the sweep returns what landed unseen", async () => {
    const { engine, clock, ledger } = await start();
    const silent = faulty(ledger.dynamo, { 1: "lost reply", 2: "lost before", 3: "lost before" });
    const refused = await reserve({ ...ledger, dynamo: silent }, WANTED);
    expect(refused).toMatchObject({ failure: { code: "UPSTREAM_ERROR" } });
    expect(balancesOf(engine).held).toBe(20);
    clock.pass(ledger.holdLifeMs);
    expect(await sweep(ledger)).toEqual({ accounts: 1, healed: 1, left: 0 });
    expect(balancesOf(engine)).toEqual({ available: 100, held: 0, charged: 0, holds: 0 });
  });

  it("is not charged again when a late copy lands after the release", async () => {
    const { engine, clock, ledger } = await start();
    const delayed: ConditionalUpdate[] = [];
    const first = async (request: ConditionalUpdate): Promise<Write> => {
      if (delayed.push(request) > 1) return ledger.dynamo.update(request);
      return { outcome: "unknown", cause: "delayed" };
    };
    const hold = await reserved({ ...ledger, dynamo: { ...ledger.dynamo, update: first } });
    await settle(ledger, hold, DONE);
    await release(ledger, hold, 6);
    const [late] = delayed;
    if (late !== undefined) await ledger.dynamo.update(late);
    expect(balancesOf(engine)).toEqual({ available: 74, held: 20, charged: 6, holds: 1 });
    clock.pass(ledger.holdLifeMs);
    await sweep(ledger);
    expect(balancesOf(engine)).toEqual({ available: 94, held: 0, charged: 6, holds: 0 });
  });

  it("heals expired holds before it answers 402", async () => {
    const { engine, clock, ledger } = await start(20);
    await reserved(ledger);
    const next = { ...WANTED, requestId: REQUEST.replace(/1$/, "2") };
    expect(await reserve(ledger, next)).toMatchObject({
      failure: { code: "INSUFFICIENT_CREDITS" },
    });
    clock.pass(ledger.holdLifeMs);
    expect((await reserve(ledger, next)).ok).toBe(true);
    expect(balancesOf(engine)).toEqual({ available: 0, held: 20, charged: 0, holds: 1 });
  });
});

describe("settle", () => {
  it("learns from the ledger what it wrote when the reply was lost", async () => {
    const { engine, ledger } = await start();
    const hold = await reserved(ledger);
    const lossy = { ...ledger, dynamo: faulty(ledger.dynamo, { 1: "lost reply" }) };
    expect(await settle(lossy, hold, DONE)).toEqual({ charge: 6, other: null });
    expect(engine.scan(LEDGER)).toHaveLength(1);
  });

  it("goes along with the sweep when that was first", async () => {
    const { engine, clock, ledger } = await start();
    const hold = await reserved(ledger);
    clock.pass(ledger.holdLifeMs);
    await sweep(ledger);
    expect(await settle(ledger, hold, DONE)).toEqual({ charge: 0, other: null });
    await release(ledger, hold, 0);
    expect(balancesOf(engine)).toEqual({ available: 100, held: 0, charged: 0, holds: 0 });
  });

  it("gives up when the hold's life is over, having charged nothing", async () => {
    const { engine, clock, ledger } = await start();
    const hold = await reserved(ledger);
    const put = async (): Promise<Write> => ({ outcome: "unknown", cause: "down" });
    const down = { ...ledger, dynamo: { ...ledger.dynamo, put } };
    expect(await settle(down, hold, DONE)).toBeNull();
    expect(clock.now()).toBeGreaterThanOrEqual(hold.expiresMs);
    await sweep(ledger);
    expect(balancesOf(engine)).toEqual({ available: 100, held: 0, charged: 0, holds: 0 });
    expect(engine.scan(LEDGER)).toMatchObject([{ outcome: { S: "ABANDONED" } }]);
  });
});

describe("the sweep", () => {
  it("leaves a hold alone until it has expired", async () => {
    const { engine, clock, ledger } = await start();
    await reserved(ledger);
    clock.pass(ledger.holdLifeMs - 1);
    expect(await sweep(ledger)).toEqual({ accounts: 1, healed: 0, left: 0 });
    expect(balancesOf(engine)).toMatchObject({ held: 20, holds: 1 });
  });

  it("applies the charge of a request that died between settlement and release", async () => {
    const { engine, clock, ledger } = await start();
    await settle(ledger, await reserved(ledger), DONE);
    clock.pass(ledger.holdLifeMs);
    await sweep(ledger);
    expect(balancesOf(engine)).toEqual({ available: 94, held: 0, charged: 6, holds: 0 });
  });

  it("may run twice at once", async () => {
    const { engine, clock, ledger } = await start();
    await reserved(ledger);
    clock.pass(ledger.holdLifeMs);
    await Promise.all([sweep(ledger), sweep(ledger)]);
    expect(balancesOf(engine)).toEqual({ available: 100, held: 0, charged: 0, holds: 0 });
    expect(engine.scan(LEDGER)).toHaveLength(1);
  });

  it("takes an account without holds out of the index, and reserve puts it back", async () => {
    const { clock, ledger } = await start();
    await release(ledger, await reserved(ledger), 0);
    expect(await sweep(ledger)).toMatchObject({ accounts: 1 });
    expect(await sweep(ledger)).toMatchObject({ accounts: 0 });
    await reserved(ledger, REQUEST.replace(/1$/, "2"));
    clock.pass(ledger.holdLifeMs);
    expect(await sweep(ledger)).toMatchObject({ accounts: 1, healed: 1 });
  });
});
