import { fingerprint, isApiKeyShaped } from "../../src/keys/api-key.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem, unreachable } from "../terminal/answer.ts";
import { showAccount } from "./accounts.ts";
import { type KeyView, viewKey } from "./key-view.ts";
import { keyAddress } from "./keys.ts";

/** Whose a key is, and whether it works. Nothing of the key itself. */
export interface FoundKey extends Omit<KeyView, "last_characters"> {
  readonly email: string;
  /** `active`, `suspended` or `unverified`, as the look-up knows it. */
  readonly account_state: string;
}

/**
 * Says whose key a text is, such as one that leaked. White space around it does not matter. No
 * sentence repeats the text.
 */
export async function findKey(tables: Tables, text: string): Promise<Answer<FoundKey>> {
  const key = text.trim();
  if (key === "") return problem("Nothing came on standard input. Send the key there.");
  if (!isApiKeyShaped(key)) {
    return problem(
      "This is no key of ours. It has not the shape of one: svc_live_ and 49 letters and digits, " +
        "which end in a checksum. Send the whole key and nothing else.",
    );
  }
  const { keyId, keyHash } = await fingerprint(key);
  const found = await tables.dynamo.read(keyAddress(tables, keyId));
  if (found.outcome === "unknown") return unreachable(found.cause);
  if (found.item?.["key_hash"]?.S !== keyHash) {
    return problem(
      `This is no key of ours. It has the shape of one, but these tables have no key ${keyId}.`,
    );
  }
  const { last_characters: _, ...view } = viewKey(found.item);
  const owner = await showAccount(tables, view.account_id);
  if (!owner.ok) return owner;
  // Keys from before the attribute have none; the worker takes them for active.
  const account_state = found.item["account_state"]?.S ?? "active";
  return answer({ ...view, email: owner.value.email, account_state });
}
