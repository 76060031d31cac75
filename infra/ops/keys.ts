import { randomBytes } from "node:crypto";
import type { AccountState } from "../../src/credits/items.ts";
import { fingerprint, formatApiKey } from "../../src/keys/api-key.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem, unreachable } from "../terminal/answer.ts";
import { readAccountItem } from "./account-item.ts";
import { keysOf, readState, tellKey } from "./key-state.ts";

const LAST_CHARACTERS = 4;

/** A new key. This is the only time that it is shown. */
export interface NewKey {
  readonly key_id: string;
  readonly account_id: string;
  readonly key: string;
}

export interface KeyView {
  readonly key_id: string;
  readonly account_id: string;
  readonly status: string;
  readonly label: string;
  /** The key's last characters, to tell it from others. */
  readonly last_characters: string;
  readonly created_at: string;
  readonly changed_at: string;
}

/** Creates a key of an active account with a verified email. The key itself is not stored. */
export async function createKey(
  tables: Tables,
  { account, label }: { account: string; label: string },
): Promise<Answer<NewKey>> {
  const before = await readState(tables, account);
  if (!before.ok) return before;
  if (before.value !== "active") return notActive(account, before.value);
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
      account_state: { S: "active" satisfies AccountState },
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
  const after = await readState(tables, account);
  if (after.ok && after.value === "active")
    return answer({ key_id: keyId, account_id: account, key });
  // A suspension came between and may not have seen this key in the index.
  if (!after.ok || !(await tellKey(tables, keyId, after.value))) {
    return problem(
      `The key ${keyId} may be usable, but nobody has seen it. Run key revoke for it.`,
    );
  }
  return notActive(account, after.value);
}

function notActive(account: string, state: AccountState) {
  return state === "unverified"
    ? problem(`The email of ${account} is not verified. Run account verify first.`)
    : problem(`The account ${account} is suspended. Run account activate first.`);
}

/** The keys of an account, in their present state. */
export async function listKeys(tables: Tables, account: string): Promise<Answer<KeyView[]>> {
  const owner = await readAccountItem(tables, account);
  if (!owner.ok) return owner;
  const found = await keysOf(tables, account);
  return found.ok ? answer(found.value.map(viewKey)) : found;
}

/**
 * Changes the status of a key. It applies to every request that starts afterwards. A revoked key
 * stays revoked.
 */
export async function changeKey(
  tables: Tables,
  keyId: string,
  status: "active" | "inactive" | "revoked",
): Promise<Answer<KeyView>> {
  const address = { TableName: tables.apiKeys, Key: { key_id: { S: keyId } } };
  const write = await tables.dynamo.update({
    ...address,
    UpdateExpression: "SET #status = :status, changed_at = :now",
    ConditionExpression:
      status === "revoked"
        ? "attribute_exists(key_id)"
        : "attribute_exists(key_id) AND #status <> :revoked",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: {
      ":status": { S: status },
      ":now": { S: new Date().toISOString() },
      ...(status !== "revoked" && { ":revoked": { S: "revoked" } }),
    },
  });
  if (write.outcome === "unknown") return unreachable(write.cause);
  if (write.outcome === "refused") {
    return problem(
      write.item === null
        ? `There is no key ${keyId}. \`key list --account <id>\` shows the ids.`
        : `The key ${keyId} is revoked for good. Create another one.`,
    );
  }
  const found = await tables.dynamo.read(address);
  if (found.outcome === "unknown") return unreachable(found.cause);
  return answer(viewKey(found.item ?? {}));
}

function viewKey(item: Item): KeyView {
  const text = (name: string) => item[name]?.S ?? "";
  return {
    key_id: text("key_id"),
    account_id: text("account"),
    status: text("status"),
    label: text("label"),
    last_characters: text("last_characters"),
    created_at: text("created_at"),
    changed_at: text("changed_at"),
  };
}
