import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import type { ConditionalUpdate } from "../../../src/store/dynamodb.ts";
import { addAccount, balancesOf, openLedger } from "./accounts.ts";
import type { Store } from "./engines.ts";

/** A store to test, and how it is closed. */
export interface Opened {
  readonly store: Store;
  readonly close: () => Promise<void>;
}

const FIVE_MINUTES_MS = 300_000;
const DONE = {
  keyId: "key_1",
  service: "messenger-channel",
  outcome: "OK",
  itemCount: 3,
  multiplier: 2,
} as const;

/** What the service expects of the four calls, and the protocol on top of them. */
export function storeSuite(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    }, 60_000);
    afterAll(() => opened.close());

    callsSuite(() => opened.store);
    protocolSuite(() => opened.store);
  });
}

function callsSuite(store: () => Store): void {
  const address = (id: string) => ({
    TableName: store().tables.accounts,
    Key: { account: { S: id } },
  });
  const create = (id: string, n = "1") =>
    store().dynamo.put({
      ...address(id),
      Item: { ...address(id).Key, n: { N: n }, map: { M: { a: { N: "1" } } } },
      ConditionExpression: "attribute_not_exists(account)",
    });
  const update = (id: string, request: Omit<ConditionalUpdate, "TableName" | "Key">) =>
    store().dynamo.update({ ...address(id), ...request });
  const stored = async (id: string) => {
    const found = await store().dynamo.read(address(id));
    return found.outcome === "read" ? found.item : found;
  };

  it("reads null where there is no item", async () => {
    expect(await store().dynamo.read(address("nobody"))).toEqual({ outcome: "read", item: null });
  });

  it("puts an item once, and shows the one that is there to the second", async () => {
    expect(await create("put")).toEqual({ outcome: "written" });
    expect(await create("put", "2")).toMatchObject({ outcome: "refused", item: { n: { N: "1" } } });
    expect(await stored("put")).toMatchObject({ n: { N: "1" } });
  });

  it("changes all of an item or nothing", async () => {
    await create("whole");
    const change = {
      UpdateExpression: "SET n = n + :one, #map.b = :one REMOVE #map.a",
      ExpressionAttributeNames: { "#map": "map" },
    };
    const values = { ":one": { N: "1" } };
    const refused = await update("whole", {
      ...change,
      ConditionExpression: "n > :least",
      ExpressionAttributeValues: { ...values, ":least": { N: "1" } },
    });
    expect(refused).toMatchObject({ outcome: "refused", item: { n: { N: "1" } } });
    expect(await stored("whole")).toMatchObject({ n: { N: "1" }, map: { M: { a: { N: "1" } } } });
    const written = await update("whole", {
      ...change,
      ConditionExpression: "n >= :one AND attribute_not_exists(#map.b) AND size(#map) < :two",
      ExpressionAttributeValues: { ...values, ":two": { N: "2" } },
    });
    expect(written).toEqual({ outcome: "written" });
    expect(await stored("whole")).toEqual({
      account: { S: "whole" },
      n: { N: "2" },
      map: { M: { b: { N: "1" } } },
    });
  });

  it("refuses an update of an item that does not exist, without making one", async () => {
    const answer = await update("nobody", {
      UpdateExpression: "SET n = :one",
      ConditionExpression: "attribute_exists(account)",
      ExpressionAttributeValues: { ":one": { N: "1" } },
    });
    expect(answer).toEqual({ outcome: "refused", item: null });
    expect(await stored("nobody")).toBeNull();
  });

  it("answers a path that cannot be with unknown, and changes nothing", async () => {
    await create("path");
    const answer = await update("path", {
      UpdateExpression: "SET holds.#request = :one",
      ConditionExpression: "attribute_exists(account)",
      ExpressionAttributeNames: { "#request": "r" },
      ExpressionAttributeValues: { ":one": { N: "1" } },
    });
    expect(answer.outcome).toBe("unknown");
    expect(await stored("path")).toMatchObject({ n: { N: "1" } });
  });

  it("pages through the sparse index in order", async () => {
    for (const id of ["c", "a", "b"]) await create(`index-${id}`);
    const mark = (id: string, UpdateExpression: string) =>
      update(`index-${id}`, {
        UpdateExpression,
        ConditionExpression: "attribute_exists(account)",
        ...(UpdateExpression.startsWith("SET") && {
          ExpressionAttributeValues: { ":open": { S: "open" } },
        }),
      });
    for (const id of ["c", "a", "b"]) await mark(id, "SET sweep = :open");
    await mark("b", "REMOVE sweep");
    const query = {
      TableName: store().tables.accounts,
      IndexName: "sweep",
      KeyConditionExpression: "sweep = :open",
      ExpressionAttributeValues: { ":open": { S: "open" } },
      Limit: 1,
    };
    const first = await store().dynamo.query(query);
    if (first.outcome !== "read" || first.next === null) throw new Error("no second page");
    expect(first.items).toMatchObject([{ account: { S: "index-a" }, sweep: { S: "open" } }]);
    const second = await store().dynamo.query({ ...query, ExclusiveStartKey: first.next });
    expect(second).toMatchObject({ items: [{ account: { S: "index-c" } }] });
    for (const id of ["a", "c"]) await mark(id, "REMOVE sweep");
  });
}

function protocolSuite(store: () => Store): void {
  const reserved = async (account: string, credits: number) => {
    const hold = await reserve(openLedger(store()), { account, requestId: uuidv7(), credits });
    if (!hold.ok) throw new Error(hold.failure.cause);
    return hold.value;
  };

  it("holds at once, charges what the ledger says and returns the rest, once", async () => {
    const account = await addAccount(store(), 100);
    const ledger = openLedger(store());
    const hold = await reserved(account, 20);
    expect(await balancesOf(store(), account)).toMatchObject({ available: 80, held: 20, holds: 1 });
    expect(await settle(ledger, hold, DONE)).toEqual({ charge: 6 });
    expect(await settle(ledger, hold, { ...DONE, itemCount: 0 })).toEqual({ charge: 6 });
    for (let times = 0; times < 2; times++) expect(await release(ledger, hold, 6)).toBe(true);
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
    await reserved(account, 20);
    await settle(ledger, await reserved(account, 20), DONE);
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
    const hold = await reserve(ledger, { account, requestId: uuidv7(), credits: 20 });
    if (!hold.ok) throw new Error(hold.failure.cause);
    await settle(ledger, hold.value, DONE);
    await release(ledger, hold.value, 6);
    const [copy] = late;
    if (copy !== undefined) expect(await dynamo.update(copy)).toEqual({ outcome: "written" });
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
      Array.from({ length: 200 }, () =>
        reserve(ledger, { account, requestId: uuidv7(), credits: 7 }),
      ),
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
