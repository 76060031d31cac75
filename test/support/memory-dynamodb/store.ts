import { fingerprint, formatApiKey } from "../../../src/keys/api-key.ts";
import type { Dynamo, Item } from "../../../src/store/dynamodb.ts";
import { createEngine, type Engine } from "./engine.ts";

export const ACCOUNTS = "accounts";
export const KEYS = "keys";
export const LEDGER = "ledger";

/** The keys of the three tables, as `infra/template.yaml` has them. */
export const TABLES = {
  [ACCOUNTS]: ["account"],
  [KEYS]: ["key_id"],
  [LEDGER]: ["account_period", "record_id"],
} as const;

export function createTestEngine(): Engine {
  return createEngine(TABLES);
}

/** An account item in the form in which the operator's tool creates it and tops it up. */
export async function addAccount(
  dynamo: Dynamo,
  {
    account = "acct_test",
    credits = 20,
    ...overrides
  }: { account?: string; credits?: number } & {
    status?: string;
    verified?: boolean;
  } = {},
): Promise<string> {
  const Key = { account: { S: account } };
  const Item: Item = {
    ...Key,
    email: { S: "someone@example.com" },
    email_verified: { BOOL: overrides.verified ?? true },
    status: { S: overrides.status ?? "active" },
    available: { N: String(credits) },
    granted: { N: String(credits) },
    held: { N: "0" },
    charged: { N: "0" },
    holds: { M: {} },
    movements: { N: "0" },
    pending: { M: {} },
  };
  const ConditionExpression = "attribute_not_exists(account)";
  await dynamo.put({ TableName: ACCOUNTS, Key, Item, ConditionExpression });
  return account;
}

export async function addKey(
  dynamo: Dynamo,
  account: string,
  { status = "active", seed = 1 } = {},
): Promise<string> {
  const key = formatApiKey(new Uint8Array(32).fill(seed));
  const { keyId, keyHash } = await fingerprint(key);
  const Key = { key_id: { S: keyId } };
  const Item: Item = {
    ...Key,
    key_hash: { S: keyHash },
    account: { S: account },
    status: { S: status },
  };
  const ConditionExpression = "attribute_not_exists(key_id)";
  await dynamo.put({ TableName: KEYS, Key, Item, ConditionExpression });
  return key;
}

/**
 * Balances of an account as numbers, with the number of its open holds.
 * @throws if a counter of open holds is wrong
 */
export function balancesOf(engine: Engine, account = "acct_test") {
  const item = engine.scan(ACCOUNTS).find((candidate) => candidate["account"]?.S === account);
  checkCounters(item ?? {});
  const number = (name: string) => Number(item?.[name]?.N);
  return {
    available: number("available"),
    held: number("held"),
    charged: number("charged"),
    holds: Object.keys(item?.["holds"]?.M ?? {}).length,
  };
}

/** The open holds that an account's counters count, by service; those at 0 too. */
export function countersOf(engine: Engine, account = "acct_test"): Record<string, number> {
  const item = engine.scan(ACCOUNTS).find((candidate) => candidate["account"]?.S === account);
  const counters = Object.entries(item ?? {}).filter(([name]) => name.startsWith("open_"));
  return Object.fromEntries(counters.map(([name, value]) => [name, Number(value.N)]));
}

/**
 * Checks that every hold which names a service is counted once, and that nothing else is.
 * @throws if a counter is wrong
 */
export function checkCounters(item: Item): void {
  const holds = Object.values(item["holds"]?.M ?? {});
  const services = holds.flatMap(({ M }) => M?.["s"]?.S ?? []);
  const named = services.map((service) => `open_${service.replaceAll("-", "_")}`);
  const counters = Object.keys(item).filter((name) => name.startsWith("open_"));
  for (const name of new Set([...named, ...counters])) {
    const open = named.filter((other) => other === name).length;
    const counted = Number(item[name]?.N ?? 0);
    if (counted !== open) throw new Error(`${name} is ${counted}, its open holds are ${open}`);
  }
}
