import * as z from "zod/mini";
import type { Dynamo } from "../store/dynamodb.ts";

/** An active key: who uses it, and the account that pays. */
export interface ApiKey {
  readonly keyId: string;
  readonly account: string;
}

/** `unknown`: the store did not answer. */
export type KeyLookup =
  | { readonly outcome: "active"; readonly key: ApiKey }
  | { readonly outcome: "refused"; readonly cause: string }
  | { readonly outcome: "unknown"; readonly cause: string };

const text = z.pipe(
  z.object({ S: z.string() }),
  z.transform((value) => value.S),
);
const keySchema = z.object({ key_hash: text, account: text, status: text });

const ATTEMPTS = 2;

/**
 * Looks a key up, consistently and without a cache: a revocation holds for every request that
 * starts after it was acknowledged. Whether the account may spend is decided by the reserve.
 */
export async function lookUpKey(
  dynamo: Dynamo,
  table: string,
  { keyId, keyHash }: { keyId: string; keyHash: string },
): Promise<KeyLookup> {
  const address = { TableName: table, Key: { key_id: { S: keyId } } };
  let found = await dynamo.read(address);
  for (let attempt = 1; attempt < ATTEMPTS && found.outcome === "unknown"; attempt++) {
    found = await dynamo.read(address);
  }
  if (found.outcome === "unknown") return found;
  if (found.item === null) return { outcome: "refused", cause: "no such key" };
  const key = keySchema.parse(found.item);
  if (key.key_hash !== keyHash) return { outcome: "refused", cause: "another key of this id" };
  if (key.status !== "active") return { outcome: "refused", cause: `the key is ${key.status}` };
  return { outcome: "active", key: { keyId, account: key.account } };
}
