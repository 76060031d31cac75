import { randomBytes } from "node:crypto";
import { fingerprint, formatApiKey } from "../../src/keys/api-key.ts";
import { showAccount } from "./accounts.ts";
import { type Answer, answer, problem, unreachable } from "./answer.ts";
import type { Tables } from "./tables.ts";

const LAST_CHARACTERS = 4;

/** A new key: the only time that it is shown. */
export interface NewKey {
  readonly key_id: string;
  readonly account_id: string;
  readonly key: string;
}

export interface KeyView {
  readonly key_id: string;
  readonly status: string;
}

/** Creates a key of an active account whose email is verified. The key itself is stored nowhere. */
export async function createKey(
  tables: Tables,
  { account, label }: { account: string; label: string },
): Promise<Answer<NewKey>> {
  const owner = await showAccount(tables, account);
  if (!owner.ok) return owner;
  if (owner.value.status !== "active") return problem(`The account ${account} is not active.`);
  if (!owner.value.email_verified) {
    return problem(`The email of ${account} is not verified. Run account verify first.`);
  }
  const key = formatApiKey(randomBytes(32));
  const { keyId, keyHash } = await fingerprint(key);
  const now = new Date().toISOString();
  const Key = { key_id: { S: keyId } };
  const write = await tables.dynamo.put({
    TableName: tables.apiKeys,
    Key,
    Item: {
      ...Key,
      key_hash: { S: keyHash },
      account: { S: account },
      status: { S: "active" },
      label: { S: label },
      last_characters: { S: key.slice(-LAST_CHARACTERS) },
      created_at: { S: now },
      changed_at: { S: now },
    },
    ConditionExpression: "attribute_not_exists(key_id)",
  });
  if (write.outcome === "unknown") return unreachable(write.cause);
  if (write.outcome === "refused") return problem("The key exists already. Run the command again.");
  return answer({ key_id: keyId, account_id: account, key });
}

/** Ends a key for good: no request that starts from now on is served. */
export async function revokeKey(tables: Tables, keyId: string): Promise<Answer<KeyView>> {
  const write = await tables.dynamo.update({
    TableName: tables.apiKeys,
    Key: { key_id: { S: keyId } },
    UpdateExpression: "SET #status = :revoked, changed_at = :now",
    ConditionExpression: "attribute_exists(key_id)",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: {
      ":revoked": { S: "revoked" },
      ":now": { S: new Date().toISOString() },
    },
  });
  if (write.outcome === "unknown") return unreachable(write.cause);
  if (write.outcome === "refused") return problem(`There is no key ${keyId}.`);
  return answer({ key_id: keyId, status: "revoked" });
}
