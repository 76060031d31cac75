import { randomBytes } from "node:crypto";
import { readAccount } from "../../src/credits/items.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem, unreachable } from "../terminal/answer.ts";
import { accountAddress, noSuchAccount, readAccountItem } from "./account-item.ts";
import { scanAll } from "./scan.ts";
import { pendingTopUp, topUp, topUpId } from "./topup.ts";

/** Section 1 of the specification: every account starts with these free test-result credits. */
const WELCOME_CREDITS = 20;
const WELCOME_REFERENCE = "test-results";

/** An account as the operator sees it; balances in credits. */
export interface AccountView {
  readonly account_id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly status: string;
  readonly available: number;
  readonly held: number;
  readonly charged: number;
  readonly granted: number;
  readonly open_holds: number;
  /** Movements of credits that were begun and not ended: repeat their command. */
  readonly pending_top_ups: number;
}

/** Creates an active account with an email that is not verified yet, and its free credits. */
export async function createAccount(tables: Tables, email: string): Promise<Answer<AccountView>> {
  const account = `acct_${randomBytes(9).toString("hex")}`;
  const welcome = { account, kind: "grant", credits: WELCOME_CREDITS } as const;
  const grant = { ...welcome, reference: WELCOME_REFERENCE };
  const address = accountAddress(tables, account);
  const created = await tables.dynamo.put({
    ...address,
    Item: { ...address.Key, ...emptyAccount(email), pending: { M: announced(topUpId(grant)) } },
    ConditionExpression: "attribute_not_exists(account)",
  });
  if (created.outcome === "unknown") return unreachable(created.cause);
  if (created.outcome === "refused") return problem(`There is an account ${account} already.`);
  const granted = await topUp(tables, grant);
  return granted.ok ? showAccount(tables, account) : granted;
}

/** The grant is announced with the account, so that no crash between the two can forget it. */
function announced(id: string): Item {
  return { [id]: pendingTopUp(WELCOME_CREDITS, crypto.randomUUID()) };
}

function emptyAccount(email: string): Item {
  const none = { N: "0" };
  return {
    email: { S: email },
    email_verified: { BOOL: false },
    status: { S: "active" },
    available: none,
    held: none,
    charged: none,
    granted: none,
    movements: none,
    holds: { M: {} },
    created_at: { S: new Date().toISOString() },
  };
}

export async function showAccount(tables: Tables, account: string): Promise<Answer<AccountView>> {
  const found = await readAccountItem(tables, account);
  return found.ok ? answer(viewAccount(found.value)) : found;
}

function viewAccount(item: Item): AccountView {
  const { holds, account: account_id, ...balances } = readAccount(item);
  const email = item["email"]?.S ?? "";
  const pending = Object.keys(item["pending"]?.M ?? {}).length;
  return { account_id, email, ...balances, open_holds: holds.size, pending_top_ups: pending };
}

/** What an operator can change about an account; takes effect for requests that start afterwards. */
export type AccountChange =
  | { readonly email_verified: boolean }
  | { readonly status: "active" | "suspended" };

/** Changes one attribute and leaves the balances and holds alone. */
export async function changeAccount(
  tables: Tables,
  account: string,
  change: AccountChange,
): Promise<Answer<AccountView>> {
  const [name, value]: [string, Item[string]] =
    "status" in change
      ? ["status", { S: change.status }]
      : ["email_verified", { BOOL: change.email_verified }];
  const write = await tables.dynamo.update({
    ...accountAddress(tables, account),
    UpdateExpression: "SET #name = :value",
    ConditionExpression: "attribute_exists(account)",
    ExpressionAttributeNames: { "#name": name },
    ExpressionAttributeValues: { ":value": value },
  });
  if (write.outcome === "unknown") return unreachable(write.cause);
  if (write.outcome === "refused") return noSuchAccount(account);
  return showAccount(tables, account);
}

/** Every account, page by page. */
export async function listAccounts(tables: Tables): Promise<Answer<AccountView[]>> {
  const accounts = await scanAll(tables, tables.accounts);
  return accounts.ok ? answer(accounts.value.map(viewAccount)) : accounts;
}
