import { randomBytes } from "node:crypto";
import type { AccountState } from "../../src/credits/items.ts";
import { type Fingerprint, fingerprint, formatApiKey } from "../../src/keys/api-key.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem, unreachable } from "../terminal/answer.ts";
import { readAccountItem } from "./account-item.ts";
import { keysOf, readState, tellKey } from "./key-state.ts";
import { type KeyView, viewKey } from "./key-view.ts";

const LAST_CHARACTERS = 4;

/** A new key. This is the only time that it is shown. */
export interface NewKey {
  readonly key_id: string;
  readonly account_id: string;
  readonly key: string;
}

/** A key that is in no table yet. */
export interface FreshKey extends Fingerprint {
  readonly key: string;
}

interface Owner {
  readonly account: string;
  readonly label: string;
}

/** Creates a key of an active account with a verified email. The key itself is not stored. */
export async function createKey(tables: Tables, owner: Owner): Promise<Answer<NewKey>> {
  const active = await requireActive(tables, owner.account);
  return active.ok ? storeKey(tables, await generateKey(), owner) : active;
}

export async function generateKey(): Promise<FreshKey> {
  const key = formatApiKey(randomBytes(32));
  return { key, ...(await fingerprint(key)) };
}

/** @param owner an account that was active a moment ago */
export async function storeKey(
  tables: Tables,
  { key, keyId, keyHash }: FreshKey,
  { account, label }: Owner,
): Promise<Answer<NewKey>> {
  const address = keyAddress(tables, keyId);
  const now = new Date().toISOString();
  const write = await tables.dynamo.put({
    ...address,
    Item: {
      ...address.Key,
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

/** A key is made only for an account that may use it. */
export async function requireActive(tables: Tables, account: string): Promise<Answer<void>> {
  const state = await readState(tables, account);
  if (!state.ok) return state;
  return state.value === "active" ? answer(undefined) : notActive(account, state.value);
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

export type KeyStatus = "active" | "inactive" | "revoked";

/** A key after a command. `changed` is false when it was in that state before. */
export interface ChangedKey extends KeyView {
  readonly changed: boolean;
}

/**
 * Changes the status of a key. It applies to every request that starts afterwards. A revoked key
 * stays revoked, and one whose end has passed stays expired.
 */
export async function changeKey(
  tables: Tables,
  keyId: string,
  status: KeyStatus,
): Promise<Answer<ChangedKey>> {
  const now = new Date().toISOString();
  const write = await tables.dynamo.update({
    ...keyAddress(tables, keyId),
    UpdateExpression: "SET #status = :status, changed_at = :now",
    ConditionExpression:
      "attribute_exists(key_id) AND #status <> :status AND #status <> :revoked" +
      (status === "active" ? " AND (attribute_not_exists(expires_at) OR expires_at > :now)" : ""),
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: {
      ":status": { S: status },
      ":now": { S: now },
      ":revoked": { S: "revoked" satisfies KeyStatus },
    },
  });
  if (write.outcome === "unknown") return unreachable(write.cause);
  if (write.outcome === "refused") return explainRefusal(keyId, status, write.item);
  const found = await readKeyItem(tables, keyId);
  return found.ok ? answer({ ...viewKey(found.value), changed: true }) : found;
}

function explainRefusal(keyId: string, status: KeyStatus, item: Item | null): Answer<ChangedKey> {
  if (item === null) return noSuchKey(keyId);
  const view = viewKey(item);
  if (view.status === status) return answer({ ...view, changed: false });
  return problem(
    view.status === "revoked"
      ? `The key ${keyId} is revoked for good. Create another one.`
      : `The key ${keyId} was rotated, and ended at ${view.expires_at}. Create another one.`,
  );
}

/** Reads a key's item, consistently. */
export async function readKeyItem(tables: Tables, keyId: string): Promise<Answer<Item>> {
  const found = await tables.dynamo.read(keyAddress(tables, keyId));
  if (found.outcome === "unknown") return unreachable(found.cause);
  return found.item === null ? noSuchKey(keyId) : answer(found.item);
}

export function keyAddress({ apiKeys }: Pick<Tables, "apiKeys">, keyId: string) {
  return { TableName: apiKeys, Key: { key_id: { S: keyId } } };
}

function noSuchKey(keyId: string) {
  return problem(`There is no key ${keyId}. \`key list --account <id>\` shows the ids.`);
}
