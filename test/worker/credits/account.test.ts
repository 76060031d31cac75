import { describe, expect, it } from "vitest";
import { problemsOf } from "../../../src/credits/account.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import {
  ACCOUNTS,
  addAccount,
  balancesOf,
  createClock,
  createTestEngine,
  type LogEntry,
  testLedger,
} from "../../support/service.ts";

const requestId = (at: number) => `019a3a5c-0000-7000-8000-${String(at).padStart(12, "0")}`;
const hold = (credits: number, service: string | null = null) => ({
  credits,
  expiresMs: 1,
  nonce: "n",
  service,
});
const SOUND = { account: "acct_test", status: "active", email_verified: true };

async function start() {
  const engine = createTestEngine();
  const clock = createClock();
  const logs: LogEntry[] = [];
  const log = (entry: LogEntry) => void logs.push(entry);
  const ledger = testLedger(engine.dynamo, { now: clock.now, sleep: clock.sleep, log });
  const account = await addAccount(engine.dynamo);
  const wanted = (at: number, credits = 15) =>
    ({ account, requestId: requestId(at), service: "microblog", credits }) as const;
  const damage = (name: string, value: { N: string } | { S: string }) =>
    engine.dynamo.update({
      TableName: ACCOUNTS,
      Key: { account: { S: account } },
      UpdateExpression: "SET #name = :value",
      ConditionExpression: "attribute_exists(account)",
      ExpressionAttributeNames: { "#name": name },
      ExpressionAttributeValues: { ":value": value },
    });
  const alarms = () => logs.filter(({ event }) => event === "account_malformed");
  return { engine, clock, ledger, account, wanted, damage, alarms };
}

describe("the books of an account", () => {
  it("are in order when every sum is right", () => {
    const holds = new Map([
      ["a", hold(3)],
      ["b", hold(4)],
    ]);
    const sums = { available: 11, held: 7, charged: 2, granted: 20 };
    expect(problemsOf({ ...SOUND, ...sums, holds, counters: new Map() })).toEqual([]);
  });

  it.each([
    [{ available: -1, held: 0, charged: 1, granted: 0 }, ["available is -1"]],
    [
      { available: 5, held: 0, charged: 2, granted: 8 },
      ["available 5 + held 0 + charged 2 is not 8"],
    ],
    [{ available: 5, held: 3, charged: 0, granted: 8 }, ["held is 3, the open holds are 0"]],
  ])("of %o are not", (sums, problems) => {
    const nobody = { holds: new Map(), counters: new Map() };
    expect(problemsOf({ ...SOUND, ...sums, ...nobody })).toEqual(problems);
  });

  it.each<[Record<string, number>, string[]]>([
    [{ open_pinboard: 1, open_photo_feed: 2, open_microblog: 0 }, []],
    [{ open_pinboard: 1 }, ["open_photo_feed is 0, its open holds are 2"]],
    [
      { open_pinboard: 0, open_photo_feed: 3, open_microblog: -1 },
      [
        "open_pinboard is 0, its open holds are 1",
        "open_photo_feed is 3, its open holds are 2",
        "open_microblog is -1, its open holds are 0",
      ],
    ],
  ])("count the open holds that name a service, once each: %o", (counted, problems) => {
    const holds = new Map([
      ["a", hold(1, "pinboard")],
      ["b", hold(2, "photo-feed")],
      ["c", hold(3, "photo-feed")],
      ["from before", hold(1)],
    ]);
    const sums = { available: 0, held: 7, charged: 0, granted: 7 };
    const counters = new Map(Object.entries(counted));
    expect(problemsOf({ ...SOUND, ...sums, holds, counters })).toEqual(problems);
  });
});

describe("an account whose sums are wrong", () => {
  it("raises the alarm in the sweep, which returns its expired holds nevertheless", async () => {
    const { engine, clock, ledger, account, wanted, damage, alarms } = await start();
    expect((await reserve(ledger, wanted(1))).ok).toBe(true);
    await damage("granted", { N: "21" });
    clock.pass(ledger.holdLifeMs);
    expect(await sweep(ledger)).toEqual({ accounts: 1, healed: 1, left: 0 });
    expect(balancesOf(engine)).toEqual({ available: 20, held: 0, charged: 0, holds: 0 });
    const cause = "available 5 + held 15 + charged 0 is not 21";
    expect(alarms()).toEqual([{ event: "account_malformed", alarm: true, account, cause }]);
  });

  it("raises the alarm in a reserve that is refused, which says no more to the client", async () => {
    const { ledger, wanted, damage, alarms } = await start();
    await damage("granted", { N: "21" });
    const refused = await reserve(ledger, wanted(1, 30));
    expect(refused).toMatchObject({ failure: { code: "INSUFFICIENT_CREDITS" } });
    expect(alarms()).toMatchObject([{ cause: "available 20 + held 0 + charged 0 is not 21" }]);
  });
});

it("an account that cannot be read is an alarm and a 502, and holds nothing", async () => {
  const { engine, ledger, account, wanted, damage, alarms } = await start();
  await damage("charged", { S: "?" });
  expect(await reserve(ledger, wanted(1, 30))).toMatchObject({
    failure: { code: "UPSTREAM_ERROR", cause: "reserve: the account is malformed" },
  });
  expect(alarms()).toMatchObject([{ alarm: true, account, cause: expect.any(String) }]);
  expect(balancesOf(engine)).toMatchObject({ available: 20, held: 0, holds: 0 });
});
