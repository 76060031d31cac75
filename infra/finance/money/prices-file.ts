import { TomlDate } from "smol-toml";
import * as z from "zod";

/** The form of the file of prices. `prices.example.toml` beside it explains each line. */

const text = z.string().min(1).max(100);
const day = z
  .instanceof(TomlDate, { error: "must be a day such as 2026-01-31, without quotes" })
  .refine((date) => date.isDate(), "must be a day such as 2026-01-31, without a time");
const decimal = z
  .string({ error: 'must be text such as "45.00": with quotes, so that it is not rounded' })
  .regex(/^\d{1,12}(\.\d{1,6})?$/, 'must be an amount such as "45.00"');
const credits = z.int({ error: "must be a whole number of credits" }).min(1).max(999_999_999);

const priceShape = {
  credits,
  currency: z.string().regex(/^[A-Z]{3}$/, "must be three capital letters such as EUR"),
  net: decimal.optional(),
  gross: decimal.optional(),
  tax_percent: decimal,
};

const packSchema = z.strictObject({
  name: text,
  ...priceShape,
  from: day,
  until: day.optional(),
  reference: text.optional(),
  several: z.boolean().default(false),
});
export type PackEntry = z.infer<typeof packSchema>;

const purchaseSchema = z.strictObject({ reference: text, ...priceShape });
export type PurchaseEntry = z.infer<typeof purchaseSchema>;

const number = z
  .string({ error: "must be an account's number as text, with quotes" })
  .regex(/^[\w.-]{1,20}$/, "must be an account's number of at most 20 letters and digits");

const accountsSchema = z.strictObject({
  receivable: number,
  deferred_revenue: number,
  output_tax: number,
  revenue: number,
  adjustments: number,
  losses: number,
  services: z.record(z.string(), number).default({}),
});
/** Numbers of the journal's accounts. */
export type LedgerAccounts = z.infer<typeof accountsSchema>;

const ENTRIES_MAX = 10_000;

export const pricesFileSchema = z.strictObject({
  used_first: z.enum(["granted", "purchased"], { error: 'must be "granted" or "purchased"' }),
  accounts: accountsSchema,
  pack: z.array(packSchema).max(1_000).default([]),
  purchase: z.array(purchaseSchema).max(ENTRIES_MAX).default([]),
});
