import { v7 as uuidv7 } from "uuid";
import { describe, expect, it } from "vitest";
import type { Hold } from "../../../src/credits/ledger.ts";
import { SERVICE_OPEN_HOLDS_MAX } from "../../../src/credits/limits.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import type { ConditionalUpdate } from "../../../src/store/dynamodb.ts";
import { addAccount, balancesOf, openLedger } from "./accounts.ts";
import type { Store } from "./stores.ts";

const FIVE_MINUTES_MS = 300_000;
const DONE = {
  keyId: "key_1",
  service: "messenger-channel",
  outcome: "OK",
  itemCount: 3,
  multiplier: 2,
} as const;

/** The credits' protocol on top of the store's calls. */
export function protocolSuite(store: () => Store): void {
  describe("the protocol", () => orderSuite(store));
  describe("the protocol, at once and late", () => raceSuite(store));
  describe("the protocol, with many open holds", () => crowdSuite(store));
}

async function hold(store: Store, account: string, credits: number): Promise<Hold> {
  const wanted = { account, requestId: uuidv7(), service: DONE.service, credits };
  const held = await reserve(openLedger(store), wanted);
  if (!held.ok) throw new Error(held.failure.cause);
  return held.value;
}

function orderSuite(store: () => Store): void {
  it("holds at once, charges what the ledger says and returns the rest, once", async () => {
    const account = await addAccount(store(), 100);
    const ledger = openLedger(store());
    const held = await hold(store(), account, 20);
    expect(await balancesOf(store(), account)).toMatchObject({ available: 80, held: 20, holds: 1 });
    expect(await settle(ledger, held, DONE)).toEqual({ charge: 6, other: null });
    expect(await settle(ledger, held, { ...DONE, itemCount: 0 })).toEqual({
      charge: 6,
      other: null,
    });
    for (let times = 0; times < 2; times++) expect(await release(ledger, held, 6)).toBe(true);
    expect(await balancesOf(store(), account)).toEqual({
      available: 94,
      held: 0,
      charged: 6,
      granted: 100,
      holds: 0,
    });
  });

  it("sweeps what has expired, whichever of two sweeps is first", async () => {
    const account = await addAccount(store(), 100);
    const ledger = openLedger(store());
    await hold(store(), account, 20);
    await settle(ledger, await hold(store(), account, 20), DONE);
    const later = openLedger(store(), () => FIVE_MINUTES_MS);
    await sweep(ledger);
    expect(await balancesOf(store(), account)).toMatchObject({ available: 60, holds: 2 });
    await Promise.all([sweep(later), sweep(later)]);
    expect(await balancesOf(store(), account)).toMatchObject({
      available: 94,
      charged: 6,
      holds: 0,
    });
  });
}

function raceSuite(store: () => Store): void {
  it("does not charge a late copy of the reserve again", async () => {
    const account = await addAccount(store(), 100);
    const late: ConditionalUpdate[] = [];
    const { dynamo } = store();
    const ledger = openLedger({
      ...store(),
      dynamo: {
        ...dynamo,
        update: async (request) => {
          if (late.push(request) > 1) return dynamo.update(request);
          return { outcome: "unknown", cause: "delayed" };
        },
      },
    });
    const wanted = { account, requestId: uuidv7(), service: DONE.service, credits: 20 };
    const held = await reserve(ledger, wanted);
    if (!held.ok) throw new Error(held.failure.cause);
    await settle(ledger, held.value, DONE);
    await release(ledger, held.value, 6);
    const [copy] = late;
    if (copy !== undefined) expect(await dynamo.update(copy)).toMatchObject({ outcome: "written" });
    await sweep(openLedger(store(), () => FIVE_MINUTES_MS));
    expect(await balancesOf(store(), account)).toMatchObject({
      available: 94,
      charged: 6,
      holds: 0,
    });
  });

  it("gives 1,000 credits to exactly 142 of 200 parallel reserves of 7", async () => {
    const account = await addAccount(store(), 1_000);
    const ledger = openLedger(store());
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) => {
        const service = at % 2 === 0 ? "pinboard" : "microblog";
        return reserve(ledger, { account, requestId: uuidv7(), service, credits: 7 });
      }),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(142);
    expect(
      answers.filter((answer) => !answer.ok && answer.failure.code === "INSUFFICIENT_CREDITS"),
    ).toHaveLength(58);
    expect(await balancesOf(store(), account)).toMatchObject({
      available: 6,
      held: 994,
      holds: 142,
    });
  }, 30_000);
}

function crowdSuite(store: () => Store): void {
  it("opens no more holds for a service than one may have, and then again what it may", async () => {
    const account = await addAccount(store(), 1_000);
    const ledger = openLedger(store());
    const open = (service: "pinboard" | "microblog") =>
      reserve(ledger, { account, requestId: uuidv7(), service, credits: 1 });
    const asked = Array.from({ length: SERVICE_OPEN_HOLDS_MAX + 20 }, () => open("microblog"));
    const holds = (await Promise.all(asked)).flatMap((answer) => (answer.ok ? [answer.value] : []));
    expect(holds).toHaveLength(SERVICE_OPEN_HOLDS_MAX);
    expect(await open("microblog")).toMatchObject({ failure: { code: "RATE_LIMITED" } });
    expect((await open("pinboard")).ok).toBe(true);
    const twice = holds.flatMap((held) => [release(ledger, held, 0), release(ledger, held, 0)]);
    await Promise.all(twice);
    expect(await balancesOf(store(), account)).toMatchObject({ available: 999, holds: 1 });
    expect((await open("microblog")).ok).toBe(true);
    expect(await balancesOf(store(), account)).toMatchObject({ available: 998, holds: 2 });
  }, 30_000);
}
