import * as z from "zod/mini";
import type { Item } from "../store/dynamodb.ts";
import { integer } from "./items.ts";

/** An account that has just passed the threshold which its holder set. In credits. */
export interface LowBalance {
  /** What is not charged yet, open holds included. */
  readonly balance: number;
  readonly threshold: number;
}

const changedSchema = z.object({ available: integer, held: integer, low_balance: integer });

/**
 * Whether a charge took the balance below the threshold. The balance counts open holds, so only charges
 * lower it and only top-ups raise it: of all charges exactly one passes the threshold, each time.
 * @param attributes what the release's update returned
 */
export function passedBy(charge: number, attributes: Item): LowBalance | null {
  const changed = changedSchema.safeParse(attributes);
  if (!changed.success) return null;
  const { available, held, low_balance: threshold } = changed.data;
  const balance = available + held;
  return balance < threshold && balance + charge >= threshold ? { balance, threshold } : null;
}
