import { describe, expect, it } from "vitest";
import { authenticator, canonicalText, readMacKey } from "../../../src/credits/record-mac.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import {
  addAccount,
  createClock,
  createTestEngine,
  LEDGER,
  testLedger,
} from "../../support/service.ts";
import { testSettings } from "../../support/settings.ts";

const HEX = "0123456789abcdef".repeat(4);
const KEY = { id: "k1", hex: HEX };
const REQUEST = "019a3b5c-0000-7000-8000-000000000001";

/** A request that settles, and one that only the sweep ends. */
async function recordsOf(authenticate: ReturnType<typeof authenticator>) {
  const engine = createTestEngine();
  const account = await addAccount(engine.dynamo);
  const clock = createClock();
  const ledger = testLedger(engine.dynamo, { authenticate, now: clock.now, sleep: clock.sleep });
  const wanted = { account, service: "photo-feed-highlight", credits: 4 } as const;
  const first = await reserve(ledger, { ...wanted, requestId: REQUEST });
  await reserve(ledger, { ...wanted, requestId: REQUEST.replace(/1$/, "2") });
  if (!first.ok) throw new Error("not reserved");
  await settle(ledger, first.value, {
    keyId: "key_0123456789abcdef01234567",
    service: "photo-feed-highlight",
    outcome: "UPSTREAM_INVALID_RESPONSE",
    itemCount: 0,
    multiplier: 2,
    idempotency: { keyHash: "a".repeat(32), requestHash: "b".repeat(32) },
  });
  clock.pass(ledger.holdLifeMs);
  await sweep(ledger);
  return engine.scan(LEDGER);
}

describe("a ledger record", () => {
  it("has a MAC of what it says, by the request and by the sweep", async () => {
    const authenticate = authenticator(KEY);
    const records = await recordsOf(authenticate);
    expect(records.map((record) => record["settled_by"]?.S).sort()).toEqual(["request", "sweep"]);
    for (const { mac, ...record } of records) {
      expect(mac?.S).toMatch(/^k1:[0-9a-f]{32}$/);
      expect((await authenticate(record))["mac"]).toEqual(mac);
    }
  });

  it("has none where no key is configured", async () => {
    const records = await recordsOf(authenticator(null));
    expect(records).toHaveLength(2);
    expect(records.filter((record) => "mac" in record)).toEqual([]);
  });

  it("costs one write unit with its MAC, also with the longest values", async () => {
    const records = await recordsOf(authenticator(KEY));
    const sizes = records.map((record) => JSON.stringify(record).length);
    // The JSON is longer than what DynamoDB counts: names and values.
    expect(Math.max(...sizes)).toBeLessThan(1_024);
  });

  it("has another MAC as soon as anything in it is another, and under another key", async () => {
    const [record = {}] = await recordsOf(authenticator(null));
    const macOf = async (item: typeof record, key = KEY) =>
      (await authenticator(key)(item))["mac"]?.S;
    const macs = new Set([
      await macOf(record),
      await macOf(record, { id: "k1", hex: "0".repeat(64) }),
    ]);
    const names = Object.keys(record).filter((name) => record[name]?.NULL !== true);
    for (const name of names) {
      const changed = `${record[name]?.S ?? ""}1`;
      macs.add(await macOf({ ...record, [name]: { S: changed } }));
      const { [name]: _, ...rest } = record;
      macs.add(await macOf(rest));
    }
    macs.add(await macOf({ ...record, discount: { N: "5" } }));
    expect(names.length).toBeGreaterThan(12);
    expect(macs.size).toBe(3 + 2 * names.length);
  });
});

describe("the text that a MAC is of", () => {
  it("is the one that schema.md describes", () => {
    const record = {
      kind: { S: "grant" },
      reason: { S: "für\nzwei" },
      credits: { N: "20" },
      mac: { S: "x" },
    };
    expect(canonicalText({ ...record, service: { NULL: true } })).toBe(
      "ledger record 1\ncredits N 2\n20\nkind S 5\ngrant\nreason S 9\nfür\nzwei\n",
    );
  });

  it("does not let a value end where another begins", () => {
    const one = canonicalText({ a: { S: "1\nb S 1\n2" } });
    expect(one).not.toBe(canonicalText({ a: { S: "1" }, b: { S: "2" } }));
  });
});

describe("LEDGER_MAC_KEY", () => {
  it("is read where it is set, and null where it is not", () => {
    expect(testSettings({ LEDGER_MAC_KEY: `k1:${HEX}` }).credits.LEDGER_MAC_KEY).toEqual(KEY);
    expect(testSettings().credits.LEDGER_MAC_KEY).toBe(null);
    expect(testSettings({ LEDGER_MAC_KEY: " " }).credits.LEDGER_MAC_KEY).toBe(null);
  });

  it.each([HEX, `k1:${HEX}00`, `k1:${HEX.slice(2)}`, `K1:${HEX}`, `k1:${HEX.toUpperCase()}`])(
    "stops the worker in another form, without being shown",
    (text) => {
      expect(readMacKey(text)).toBe(null);
      const read = () => testSettings({ LEDGER_MAC_KEY: text });
      expect(read).toThrow("LEDGER_MAC_KEY: must be an id, a colon and 64 hex digits");
      expect(read).not.toThrow(HEX.slice(4, 20));
    },
  );
});
