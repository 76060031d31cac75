import { describe, expect, it } from "vitest";
import type { ConditionalUpdate } from "../../../src/store/dynamodb.ts";
import type { Store } from "./stores.ts";

/** What the service expects of the store's four calls. */
export function callsSuite(store: () => Store): void {
  describe("a put and a read", () => itemSuite(store));
  describe("an update", () => updateSuite(store));
  describe("a query", () => indexSuite(store));
}

/** The accounts' table with items of a few made-up attributes. */
function openItems({ dynamo, tables }: Store) {
  const address = (id: string) => ({ TableName: tables.accounts, Key: { account: { S: id } } });
  const create = (id: string, n = "1") =>
    dynamo.put({
      ...address(id),
      Item: { ...address(id).Key, n: { N: n }, map: { M: { a: { N: "1" } } } },
      ConditionExpression: "attribute_not_exists(account)",
    });
  const update = (id: string, request: Omit<ConditionalUpdate, "TableName" | "Key">) =>
    dynamo.update({ ...address(id), ...request });
  const stored = async (id: string) => {
    const found = await dynamo.read(address(id));
    return found.outcome === "read" ? found.item : found;
  };
  return { address, create, update, stored };
}

function itemSuite(store: () => Store): void {
  it("reads null where there is no item", async () => {
    const { address } = openItems(store());
    expect(await store().dynamo.read(address("nobody"))).toEqual({ outcome: "read", item: null });
  });

  it("puts an item once, and shows the one that is there to the second", async () => {
    const { create, stored } = openItems(store());
    expect(await create("put")).toMatchObject({ outcome: "written" });
    expect(await create("put", "2")).toMatchObject({ outcome: "refused", item: { n: { N: "1" } } });
    expect(await stored("put")).toMatchObject({ n: { N: "1" } });
  });
}

function updateSuite(store: () => Store): void {
  it("changes all of an item or nothing", async () => {
    const { create, update, stored } = openItems(store());
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
    expect(written).toMatchObject({ outcome: "written" });
    expect(await stored("whole")).toEqual({
      account: { S: "whole" },
      n: { N: "2" },
      map: { M: { b: { N: "1" } } },
    });
  });

  it("refuses an update of an item that does not exist, without making one", async () => {
    const { update, stored } = openItems(store());
    const answer = await update("nobody", {
      UpdateExpression: "SET n = :one",
      ConditionExpression: "attribute_exists(account)",
      ExpressionAttributeValues: { ":one": { N: "1" } },
    });
    expect(answer).toEqual({ outcome: "refused", item: null });
    expect(await stored("nobody")).toBeNull();
  });

  it("answers a path that cannot be with unknown, and changes nothing", async () => {
    const { create, update, stored } = openItems(store());
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
}

function indexSuite(store: () => Store): void {
  it("pages through the sparse index in order", async () => {
    const { create, update } = openItems(store());
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
