import * as z from "zod";
import type { Database } from "../load/database.ts";
import { readSql } from "../load/sql.ts";

/**
 * What the page and the summary show of the money. Amounts are decimal text in the row's currency. The
 * currency of granted credits is empty, and their amounts are 0.
 */

const count = z.coerce.number();
const amount = z.string();

const rollforwardSchema = z.object({
  class: z.enum(["granted", "purchased"]),
  currency: z.string(),
  opening_credits: count,
  added_credits: count,
  raised_credits: count,
  used_credits: count,
  adjusted_credits: count,
  refunded_credits: count,
  closing_credits: count,
  opening_net: amount,
  sold_net: amount,
  sold_tax: amount,
  used_net: amount,
  adjusted_net: amount,
  refunded_net: amount,
  closing_net: amount,
});
/** From the opening to the closing deferred revenue of one class and currency. */
export type Rollforward = z.infer<typeof rollforwardSchema>;

const salesSchema = z.object({
  pack: z.string(),
  currency: z.string(),
  purchases: count,
  credits: count,
  net: amount,
  tax: amount,
  gross: amount,
});

const revenueSchema = z.object({
  day: z.string(),
  service: z.string(),
  currency: z
    .string()
    .nullable()
    .transform((name) => name ?? ""),
  credits: count,
  net: amount,
});
export type Revenue = z.infer<typeof revenueSchema>;

const refundsSchema = z.object({
  reason: z.string(),
  currency: z.string(),
  refunds: count,
  credits: count,
  net: amount,
  tax: amount,
  gross: amount,
  deferred_net: amount,
  loss: amount,
});

const agingSchema = z.object({
  age: z.string(),
  class: z.enum(["granted", "purchased"]),
  currency: z.string(),
  credits: count,
  net: amount,
});
export type Aging = z.infer<typeof agingSchema>;

const adjustmentsSchema = z.object({ added_credits: count, taken_credits: count });

const reconciledSchema = z.object({ what: z.string(), valued: count, ledger: count });

export interface Money {
  /** The file of prices. */
  readonly prices: string;
  readonly usedFirst: "granted" | "purchased";
  readonly rollforward: readonly Rollforward[];
  readonly sales: readonly z.infer<typeof salesSchema>[];
  readonly revenue: readonly Revenue[];
  readonly refunds: readonly z.infer<typeof refundsSchema>[];
  /** Gross; the net change is the difference. */
  readonly adjustments: z.infer<typeof adjustmentsSchema>;
  readonly aging: readonly Aging[];
  /** The credits behind the amounts, beside those of the ledger. They differ only in an unsound ledger. */
  readonly reconciled: readonly z.infer<typeof reconciledSchema>[];
}

/** Reads what `valueCredits` has made. */
export async function collectMoney(
  db: Database,
  { path, usedFirst }: { path: string; usedFirst: Money["usedFirst"] },
): Promise<Money> {
  const rows = <T>(name: string, schema: z.ZodType<T>) => db.rows(readSql(`money/${name}`), schema);
  const [adjustments] = await rows("adjustments", adjustmentsSchema);
  if (adjustments === undefined) throw new Error("the adjustments are one row");
  return {
    prices: path,
    usedFirst,
    rollforward: await rows("rollforward", rollforwardSchema),
    sales: await rows("sales", salesSchema),
    revenue: await rows("revenue", revenueSchema),
    refunds: await rows("refund_totals", refundsSchema),
    adjustments,
    aging: await rows("aging", agingSchema),
    reconciled: await rows("reconciled", reconciledSchema),
  };
}
