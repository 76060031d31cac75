import { randomBytes } from "node:crypto";
import { readAccount } from "../../src/credits/items.ts";
import { accountAddress } from "../../src/credits/ledger.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem, unreachable } from "../terminal/answer.ts";
import { noSuchAccount, readAccountItem } from "./account-item.ts";
import { claim, readClaim } from "./claims.ts";
import { emailClaim } from "./email.ts";
import { tellKeys } from "./key-state.ts";
import { scanAll } from "./scan.ts";
import { pendingTopUp, topUp, topUpId } from "./topup.ts";

/**
 * Section 1 of the specification: every account starts with these free credits for test results.
 */
const WELCOME = { kind: "grant", credits: 20, reference: "test-results" } as const;

const READS_AT_ONCE = 20;

/** An account as the operator sees it. Balances are in credits. */
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
  /** Movements of credits that began and did not end. Repeat their command. */
  readonly pending_top_ups: number;
  /** A charge that takes the balance below it is logged. 0 for none. */
  readonly low_balance: number;
}

/**
 * Creates an active account with an email that is not verified yet, and its free credits. A mailbox has
 * one account, in whatever spelling: the claim of the email decides the account's id, so that of two
 * creations at once one counts. A creation that stopped anywhere is completed by the next one.
 * @param by who does it, for the record of the free credits
 */
export async function createAccount(
  tables: Tables,
  email: string,
  by?: string,
): Promise<Answer<AccountView>> {
  const name = emailClaim(email);
  const fresh = `acct_${randomBytes(9).toString("hex")}`;
  const claimed = await claim(tables, name, { holder: { S: fresh }, email: { S: email } });
  if (!claimed.ok) return claimed;
  const account = claimed.value["holder"]?.S ?? "";
  const address = accountAddress(tables.accounts, account);
  const created = await tables.dynamo.put({
    ...address,
    Item: { ...address.Key, ...emptyAccount(name), pending: { M: announced() } },
    ConditionExpression: "attribute_not_exists(account)",
  });
  if (created.outcome === "unknown") return unreachable(created.cause);
  if (created.outcome === "refused" && !isUnfinished(created.item)) {
    return problem(`This email has the account ${account} already, in this spelling or another.`);
  }
  const who = by === undefined ? {} : { by };
  const granted = await topUp(tables, { ...WELCOME, ...who, account });
  return granted.ok ? showAccount(tables, account) : granted;
}

/** Announces the grant together with the account, so that no crash between the two can lose it. */
function announced(): Item {
  return { [topUpId(WELCOME)]: pendingTopUp(WELCOME.credits, crypto.randomUUID()) };
}

function isUnfinished(item: Item | null): boolean {
  return item?.["pending"]?.M?.[topUpId(WELCOME)] !== undefined;
}

/** The email itself lies with its claim, where the worker cannot read it. */
function emptyAccount(claimName: string): Item {
  const none = { N: "0" };
  return {
    email_claim: { S: claimName },
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
  return found.ok ? viewAccount(tables, found.value) : found;
}

async function viewAccount(tables: Tables, item: Item): Promise<Answer<AccountView>> {
  const { holds, counters: _, account: account_id, ...balances } = readAccount(item);
  const claimed = await readClaim(tables, item["email_claim"]?.S ?? "email#");
  if (!claimed.ok) return claimed;
  const email = claimed.value["email"]?.S ?? "";
  const pending_top_ups = Object.keys(item["pending"]?.M ?? {}).length;
  const low_balance = Number(item["low_balance"]?.N ?? 0);
  const counts = { open_holds: holds.size, pending_top_ups, low_balance };
  return answer({ account_id, email, ...balances, ...counts });
}

/** What an operator can change about an account. It applies to requests that start afterwards. */
export type AccountChange =
  | { readonly email_verified: boolean }
  | { readonly status: "active" | "suspended" }
  /** Credits. 0 for no threshold. */
  | { readonly low_balance: number };

/**
 * Changes one attribute, leaves balances and holds alone, and tells the account's keys. The account is
 * written first: a suspended one can spend nothing from then on, and an activated one can spend once
 * its keys know. Every step may be repeated.
 */
export async function changeAccount(
  tables: Tables,
  account: string,
  change: AccountChange,
): Promise<Answer<AccountView>> {
  const [name, value] = attributeOf(change);
  const write = await tables.dynamo.update({
    ...accountAddress(tables.accounts, account),
    UpdateExpression: "SET #name = :value",
    ConditionExpression: "attribute_exists(account)",
    ExpressionAttributeNames: { "#name": name },
    ExpressionAttributeValues: { ":value": value },
  });
  if (write.outcome === "unknown") return unreachable(write.cause);
  if (write.outcome === "refused") return noSuchAccount(account);
  // The keys have no copy of the threshold.
  const told = "low_balance" in change ? answer(0) : await tellKeys(tables, account);
  return told.ok ? showAccount(tables, account) : told;
}

function attributeOf(change: AccountChange): readonly [string, Item[string]] {
  if ("status" in change) return ["status", { S: change.status }];
  if ("low_balance" in change) return ["low_balance", { N: String(change.low_balance) }];
  return ["email_verified", { BOOL: change.email_verified }];
}

/** Every account, with its email. @param part only those whose email has it in it, in any case */
export async function listAccounts(tables: Tables, part = ""): Promise<Answer<AccountView[]>> {
  const wanted = part.trim().toLowerCase();
  const accounts = await scanAll(tables, tables.accounts);
  if (!accounts.ok) return accounts;
  const views: AccountView[] = [];
  for (let at = 0; at < accounts.value.length; at += READS_AT_ONCE) {
    const some = accounts.value.slice(at, at + READS_AT_ONCE);
    const shown = await Promise.all(some.map((item) => viewAccount(tables, item)));
    for (const view of shown) {
      if (!view.ok) return view;
      if (view.value.email.toLowerCase().includes(wanted)) views.push(view.value);
    }
  }
  return answer(views);
}
