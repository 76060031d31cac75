import { type AccountState, accountState, readAccount } from "../../src/credits/items.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem } from "../terminal/answer.ts";
import { readAccountItem } from "./account-item.ts";
import { queryAll, scanAll } from "./scan.ts";

/**
 * Each key has a copy of its account's state, so that a look-up can refuse the key without reading the
 * account. The account itself stays the truth: the reserve asks it.
 */

/** Only another change of the account makes a further round necessary. */
const ROUNDS = 5;

/**
 * Writes the account's state to all its keys. It reads the account again at the end: of two changes at
 * once, the one that writes keys last has seen the account after both.
 */
export async function tellKeys(tables: Tables, account: string): Promise<Answer<void>> {
  let state = await readState(tables, account);
  for (let round = 0; round < ROUNDS; round++) {
    if (!state.ok) return state;
    const told = await tellEach(tables, account, state.value);
    if (!told.ok) return told;
    const after = await readState(tables, account);
    if (after.ok && after.value === state.value) return answer(undefined);
    state = after;
  }
  return notToldYet(account);
}

export async function readState(tables: Tables, account: string): Promise<Answer<AccountState>> {
  const found = await readAccountItem(tables, account);
  return found.ok ? answer(accountState(readAccount(found.value))) : found;
}

/** @param keyId of a key of that account */
export async function tellKey(
  tables: Tables,
  keyId: string,
  state: AccountState,
): Promise<boolean> {
  const write = await tables.dynamo.update({
    TableName: tables.apiKeys,
    Key: { key_id: { S: keyId } },
    UpdateExpression: "SET account_state = :state",
    ConditionExpression: "attribute_exists(key_id)",
    ExpressionAttributeValues: { ":state": { S: state } },
  });
  return write.outcome !== "unknown";
}

async function tellEach(
  tables: Tables,
  account: string,
  state: AccountState,
): Promise<Answer<void>> {
  const keys = await keysOf(tables, account);
  if (!keys.ok) return notToldYet(account);
  for (const key of keys.value) {
    if (stateOnKey(key) === state) continue;
    if (!(await tellKey(tables, key["key_id"]?.S ?? "", state))) return notToldYet(account);
  }
  return answer(undefined);
}

function notToldYet(account: string) {
  return problem(
    `The account ${account} is changed, but not all of its keys have been told. A suspended or ` +
      "unverified account can spend nothing all the same. Run the command again.",
  );
}

/** The keys of an account. The index may lack one that was created within the last second. */
export function keysOf(tables: Tables, account: string): Promise<Answer<Item[]>> {
  return queryAll(tables, {
    TableName: tables.apiKeys,
    IndexName: "by_account",
    KeyConditionExpression: "account = :account",
    ExpressionAttributeValues: { ":account": { S: account } },
  });
}

/** Keys from before the attribute have none; the worker takes them for active. */
function stateOnKey(key: Item): string {
  return key["account_state"]?.S ?? "active";
}

/** A key whose copy of its account's state is wrong. */
export interface KeyMismatch {
  readonly key_id: string;
  readonly account_id: string;
  readonly state_on_key: string;
  readonly state_of_account: AccountState;
}

/** Compares every key with its account. */
export async function checkKeys(tables: Tables): Promise<Answer<KeyMismatch[]>> {
  const accounts = await scanAll(tables, tables.accounts);
  if (!accounts.ok) return accounts;
  const found: KeyMismatch[] = [];
  for (const item of accounts.value) {
    const account = readAccount(item);
    const state_of_account = accountState(account);
    const keys = await keysOf(tables, account.account);
    if (!keys.ok) return keys;
    const wrong = keys.value.filter((key) => stateOnKey(key) !== state_of_account);
    for (const key of wrong) {
      const key_id = key["key_id"]?.S ?? "";
      const state_on_key = stateOnKey(key);
      found.push({ key_id, account_id: account.account, state_on_key, state_of_account });
    }
  }
  return answer(found);
}
