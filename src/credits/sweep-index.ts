import type { Item } from "../store/dynamodb.ts";
import type { Ledger } from "./ledger.ts";
import { SWEEP_ACCOUNTS_MAX, SWEEP_PAGES_MAX, SWEEP_PERIOD_MS } from "./limits.ts";

/**
 * Every account that may have an open hold. The index holds only keys, thousands per page.
 * @throws Error if the index cannot be read.
 */
export async function accountsInIndex(ledger: Ledger): Promise<string[]> {
  const names: string[] = [];
  let start: Item | null = null;
  for (let pages = 0; pages < SWEEP_PAGES_MAX; pages++) {
    const page = await ledger.dynamo.query({
      TableName: ledger.accountsTable,
      IndexName: "sweep",
      KeyConditionExpression: "sweep = :open",
      ExpressionAttributeValues: { ":open": { S: "open" } },
      ...(start !== null && { ExclusiveStartKey: start }),
    });
    if (page.outcome === "unknown") throw new Error(`sweep: ${page.cause}`);
    names.push(...page.items.flatMap((item) => item["account"]?.S ?? []));
    start = page.next;
    if (start === null) break;
  }
  return names;
}

/**
 * The accounts that this run looks at: all while they are few, else one class of them. Each class
 * gets every account looked at once in as many runs as there are classes. Pure.
 */
export function dueAccounts(names: readonly string[], nowMs: number): string[] {
  // Twice as many classes as needed, so that none overflows. A power of two, so that most accounts
  // keep their class while the index grows.
  const needed = Math.log2(names.length / SWEEP_ACCOUNTS_MAX);
  const classes = needed <= 0 ? 1 : 2 ** (Math.ceil(needed) + 1);
  const due = Math.floor(nowMs / SWEEP_PERIOD_MS) % classes;
  return names.filter((name) => hash(name) % classes === due).slice(0, SWEEP_ACCOUNTS_MAX);
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return value;
}
