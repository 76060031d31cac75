import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, unreachable } from "../terminal/answer.ts";

/**
 * Names that only one account may have: an email, a reference. A claim is an item of the table of API
 * keys, where finance's exports and the sweep do not look. Its id never begins with `key_`, so it is no
 * key, and the worker's rights end at `key_`. It has no attribute `account`: it is in no list of keys.
 */

type Claims = Pick<Tables, "apiKeys" | "dynamo">;

/**
 * Claims a name, in one conditional write: of two claims at once one wins.
 * @returns the claim that stands, this one or an earlier one. Claims are never changed.
 */
export async function claim(tables: Claims, name: string, claimed: Item): Promise<Answer<Item>> {
  const address = claimAddress(tables, name);
  const item = { ...claimed, created_at: { S: new Date().toISOString() }, ...address.Key };
  const write = await tables.dynamo.put({
    ...address,
    Item: item,
    ConditionExpression: "attribute_not_exists(key_id)",
  });
  if (write.outcome === "unknown") return unreachable(write.cause);
  return answer(write.outcome === "written" ? item : (write.item ?? {}));
}

/** @returns an empty item when nobody has claimed the name. */
export async function readClaim(tables: Claims, name: string): Promise<Answer<Item>> {
  const found = await tables.dynamo.read(claimAddress(tables, name));
  return found.outcome === "unknown" ? unreachable(found.cause) : answer(found.item ?? {});
}

function claimAddress({ apiKeys }: Claims, name: string) {
  return { TableName: apiKeys, Key: { key_id: { S: name } } };
}
