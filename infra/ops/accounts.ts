import { randomBytes } from "node:crypto";
import { readAccount } from "../../src/credits/items.ts";
import type { Item } from "../../src/dynamodb.ts";
import { type Answer, answer, problem, unreachable } from "./answer.ts";
import type { Tables } from "./tables.ts";
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
}

/** Creates an active account with an email that is not verified yet, and its free credits. */
export async function createAccount(tables: Tables, email: string): Promise<Answer<AccountView>> {
  const account = `acct_${randomBytes(9).toString("hex")}`;
  const welcome = { account, kind: "grant", credits: WELCOME_CREDITS } as const;
  const grant = { ...welcome, reference: WELCOME_REFERENCE };
  const Key = { account: { S: account } };
  const created = await tables.dynamo.put({
    TableName: tables.accounts,
    Key,
    Item: { ...Key, ...emptyAccount(email), pending: { M: announced(topUpId(grant)) } },
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
    holds: { M: {} },
    created_at: { S: new Date().toISOString() },
  };
}

export async function showAccount(tables: Tables, account: string): Promise<Answer<AccountView>> {
  const Key = { account: { S: account } };
  const found = await tables.dynamo.read({ TableName: tables.accounts, Key });
  if (found.outcome === "unknown") return unreachable(found.cause);
  if (found.item === null) return noSuchAccount(account);
  const { holds, account: account_id, ...balances } = readAccount(found.item);
  const email = found.item["email"]?.S ?? "";
  return answer({ account_id, email, ...balances, open_holds: holds.size });
}

/** Notes that the holder of the account has confirmed the email address. */
export async function verifyAccount(tables: Tables, account: string): Promise<Answer<AccountView>> {
  const write = await tables.dynamo.update({
    TableName: tables.accounts,
    Key: { account: { S: account } },
    UpdateExpression: "SET email_verified = :true",
    ConditionExpression: "attribute_exists(account)",
    ExpressionAttributeValues: { ":true": { BOOL: true } },
  });
  if (write.outcome === "unknown") return unreachable(write.cause);
  if (write.outcome === "refused") return noSuchAccount(account);
  return showAccount(tables, account);
}

function noSuchAccount(account: string) {
  return problem(`There is no account ${account}.`);
}
