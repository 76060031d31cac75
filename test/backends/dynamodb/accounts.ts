import type { Ledger } from "../../../src/credits/ledger.ts";
import { HOLD_GRACE_MS } from "../../../src/credits/limits.ts";
import { authenticator } from "../../../src/credits/record-mac.ts";
import type { Item } from "../../../src/store/dynamodb.ts";
import { checkCounters } from "../../support/memory-dynamodb/store.ts";
import type { Store } from "./stores.ts";

/** An account in the form in which the operator's tool creates it and tops it up. */
export async function addAccount({ dynamo, tables }: Store, credits: number): Promise<string> {
  const account = `acct_${crypto.randomUUID()}`;
  const Key = { account: { S: account } };
  const Item: Item = {
    ...Key,
    email: { S: "someone@example.com" },
    email_verified: { BOOL: true },
    status: { S: "active" },
    created_at: { S: "2026-10-01T00:00:00.000Z" },
    available: { N: String(credits) },
    granted: { N: String(credits) },
    held: { N: "0" },
    charged: { N: "0" },
    holds: { M: {} },
    movements: { N: "0" },
    pending: { M: {} },
  };
  const ConditionExpression = "attribute_not_exists(account)";
  await dynamo.put({ TableName: tables.accounts, Key, Item, ConditionExpression });
  return account;
}

/** A ledger over a store, with a clock that can be moved forward. */
export function openLedger({ dynamo, tables }: Store, aheadMs: () => number = () => 0): Ledger {
  return {
    dynamo,
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
    now: () => Date.now() + aheadMs(),
    sleep: (delayMs) => new Promise((wake) => setTimeout(wake, delayMs)),
    random: Math.random,
    nonce: () => crypto.randomUUID().slice(0, 8),
    authenticate: authenticator(null),
    holdLifeMs: 120_000 + HOLD_GRACE_MS,
    log: () => {},
  };
}

/**
 * Balances of an account in the store, with the number of its open holds.
 * @throws if a counter of open holds is wrong
 */
export async function balancesOf({ dynamo, tables }: Store, account: string) {
  const found = await dynamo.read({ TableName: tables.accounts, Key: { account: { S: account } } });
  const item = found.outcome === "read" ? found.item : null;
  checkCounters(item ?? {});
  const number = (name: string) => Number(item?.[name]?.N);
  return {
    available: number("available"),
    held: number("held"),
    charged: number("charged"),
    granted: number("granted"),
    holds: Object.keys(item?.["holds"]?.M ?? {}).length,
  };
}
