import { accountAddress } from "../../src/credits/ledger.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem, unreachable } from "../terminal/answer.ts";

type Accounts = Pick<Tables, "accounts" | "dynamo">;

/** Reads an account's item, consistently. */
export async function readAccountItem(tables: Accounts, account: string): Promise<Answer<Item>> {
  const found = await tables.dynamo.read(accountAddress(tables.accounts, account));
  if (found.outcome === "unknown") return unreachable(found.cause);
  return found.item === null ? noSuchAccount(account) : answer(found.item);
}

export function noSuchAccount(account: string) {
  return problem(`There is no account ${account}.`);
}
