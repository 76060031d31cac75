import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, unreachable } from "../terminal/answer.ts";
import { readAccountItem } from "./account-item.ts";
import { partition } from "./partitions.ts";

/** A grant, purchase, adjustment or refund in the ledger. */
export interface MovementView {
  readonly created_at: string;
  /** A refund is an adjustment that names its purchase in `refunds`. */
  readonly kind: string;
  readonly reference: string;
  /** Negative where credits were taken away. */
  readonly credits: number;
  readonly refunds: string | null;
  readonly reason: string | null;
  /** Who did it; null for a record from before the attribute. */
  readonly by: string | null;
}

/** All movements of an account's credits that are not usage, oldest first. */
export async function listMovements(
  tables: Tables,
  account: string,
): Promise<Answer<MovementView[]>> {
  const owner = await readAccountItem(tables, account);
  if (!owner.ok) return owner;
  try {
    return answer(await readAllMovements(tables, account));
  } catch (error) {
    return unreachable(error instanceof Error ? error.name : String(error));
  }
}

/** @throws what the SDK throws when DynamoDB gives no answer */
export async function readAllMovements(tables: Tables, account: string): Promise<MovementView[]> {
  const found: MovementView[] = [];
  for await (const item of partition(tables, `${account}#credits`)) found.push(viewMovement(item));
  return found.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

function viewMovement(item: Item): MovementView {
  const text = (name: string) => item[name]?.S ?? null;
  return {
    created_at: text("created_at") ?? "",
    kind: text("kind") ?? "",
    reference: text("reference") ?? "",
    credits: Number(item["credits"]?.N ?? 0),
    refunds: text("refunds"),
    reason: text("reason"),
    by: text("by"),
  };
}
