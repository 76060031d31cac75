import * as z from "zod/mini";
import type { AccountState } from "../credits/items.ts";
import type { Dynamo } from "../store/dynamodb.ts";
import type { Fingerprint } from "./api-key.ts";

/** An active key: who uses it, and the account that pays. */
export interface ApiKey {
  readonly keyId: string;
  readonly account: string;
  /** When a rotated key ends, in milliseconds since 1970. Null for a key without an end. */
  readonly expiresMs: number | null;
}

/**
 * `unknown`: no such key. `refused`: there is one, and it may not be used now. `undecided`: the store
 * did not answer.
 */
export type KeyLookup =
  | { readonly outcome: "active"; readonly key: ApiKey }
  | { readonly outcome: "unknown" | "refused" | "undecided"; readonly cause: string };

const text = z.pipe(
  z.object({ S: z.string() }),
  z.transform((value) => value.S),
);
const keySchema = z.object({
  key_hash: text,
  account: text,
  status: text,
  // Keys from before the attribute have none.
  account_state: z._default(text, "active" satisfies AccountState),
  // Only a rotated key has an end.
  expires_at: z.optional(text),
});

const ATTEMPTS = 2;

/**
 * Looks a key up, consistently and without a cache: a revocation, and a change of the account that
 * the operator's tool has told the key, holds for every request whose body is complete after it was
 * acknowledged. The reserve asks the account itself once more. The end of a rotated key is an
 * attribute of the same item; an end that cannot be read has passed.
 * @param now milliseconds since 1970; asked when the item is there
 */
export async function lookUpKey(
  dynamo: Dynamo,
  table: string,
  { keyId, keyHash }: Fingerprint,
  now: () => number,
): Promise<KeyLookup> {
  const address = { TableName: table, Key: { key_id: { S: keyId } } };
  let found = await dynamo.read(address);
  for (let attempt = 1; attempt < ATTEMPTS && found.outcome === "unknown"; attempt++) {
    found = await dynamo.read(address);
  }
  if (found.outcome === "unknown") return { outcome: "undecided", cause: found.cause };
  if (found.item === null) return { outcome: "unknown", cause: "no such key" };
  const key = keySchema.parse(found.item);
  if (key.key_hash !== keyHash) return { outcome: "unknown", cause: "another key of this id" };
  if (key.status !== "active") return refused(`the key is ${key.status}`);
  if (key.account_state !== "active") return refused(`the account is ${key.account_state}`);
  const expiresMs = key.expires_at === undefined ? null : Date.parse(key.expires_at);
  if (expiresMs !== null && !(now() < expiresMs)) return refused("the key has expired");
  return { outcome: "active", key: { keyId, account: key.account, expiresMs } };
}

function refused(cause: string): KeyLookup {
  return { outcome: "refused", cause };
}
