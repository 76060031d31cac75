import { readAccount } from "../../src/credits/items.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer } from "../terminal/answer.ts";
import { readAccountItem } from "./account-item.ts";
import { scanAll } from "./scan.ts";

/** An open hold: credits that a request has reserved. The request is running, or it died. */
export interface HoldView {
  readonly request_id: string;
  readonly account_id: string;
  /** Null for a hold from before holds named their service. */
  readonly service: string | null;
  readonly credits: number;
  readonly expires_at: string;
  readonly expired: boolean;
}

/** The open holds of one account, or of all accounts. */
export async function listHolds(
  tables: Tables,
  account: string | undefined,
): Promise<Answer<HoldView[]>> {
  const items =
    account === undefined ? await accountsWithHolds(tables) : await one(tables, account);
  return items.ok ? answer(items.value.flatMap(holdsOf)) : items;
}

async function one(tables: Tables, account: string): Promise<Answer<Item[]>> {
  const found = await readAccountItem(tables, account);
  return found.ok ? answer([found.value]) : found;
}

async function accountsWithHolds(tables: Tables): Promise<Answer<Item[]>> {
  return scanAll(tables, tables.accounts, {
    FilterExpression: "size(holds) > :none",
    ExpressionAttributeValues: { ":none": { N: "0" } },
  });
}

function holdsOf(item: Item): HoldView[] {
  const { account, holds } = readAccount(item);
  const nowMs = Date.now();
  return [...holds].map(([requestId, hold]) => ({
    request_id: requestId,
    account_id: account,
    service: hold.service,
    credits: hold.credits,
    expires_at: new Date(hold.expiresMs).toISOString(),
    expired: hold.expiresMs <= nowMs,
  }));
}
