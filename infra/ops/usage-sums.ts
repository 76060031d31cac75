import { uuidTimeMs } from "../../src/runtime/uuid-time.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, unreachable } from "../terminal/answer.ts";
import { readAccountItem } from "./account-item.ts";
import { partition } from "./partitions.ts";

/** What requests of one day, one service, or both together used. */
export interface UsageSum {
  /** The day of the request ids, in UTC, as in finance's statements. */
  readonly day?: string;
  /** `unfinished` for requests that the sweep ended. */
  readonly service?: string;
  readonly requests: number;
  readonly items: number;
  readonly credits: number;
}

type Part = "day" | "service";

interface SumQuery {
  readonly account: string;
  /** `YYYY-MM`, in UTC. */
  readonly month: string;
  readonly by: Part;
}

export function monthNow(): string {
  return new Date().toISOString().slice(0, 7);
}

/** Adds up an account's usage of a month, by day or by service. */
export async function sumMonth(
  tables: Tables,
  { account, month, by }: SumQuery,
): Promise<Answer<UsageSum[]>> {
  const owner = await readAccountItem(tables, account);
  if (!owner.ok) return owner;
  try {
    return answer(await sumPartition(tables, `${account}#${month}`, [by]));
  } catch (error) {
    return unreachable(error instanceof Error ? error.name : String(error));
  }
}

/**
 * Adds up the usage of one period, in the order of the parts. Holds one sum for each day and service.
 * @throws what the SDK throws when DynamoDB gives no answer
 */
export async function sumPartition(
  tables: Tables,
  period: string,
  by: readonly Part[],
): Promise<UsageSum[]> {
  const sums = new Map<string, UsageSum>();
  for await (const item of partition(tables, period)) {
    const key = partsOf(item, by);
    const name = JSON.stringify(key);
    const { requests, items, credits } = sums.get(name) ?? { requests: 0, items: 0, credits: 0 };
    sums.set(name, {
      ...key,
      requests: requests + 1,
      items: items + numberOf(item, "item_count"),
      credits: credits + numberOf(item, "charge"),
    });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

function partsOf(item: Item, by: readonly Part[]): Pick<UsageSum, Part> {
  const day = new Date(uuidTimeMs(item["record_id"]?.S ?? "")).toISOString().slice(0, 10);
  const service = item["service"]?.S ?? "unfinished";
  return { ...(by.includes("day") && { day }), ...(by.includes("service") && { service }) };
}

function numberOf(item: Item, name: string): number {
  return Number(item[name]?.N ?? 0);
}
