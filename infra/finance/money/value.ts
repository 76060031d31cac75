import * as z from "zod";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import { type Database, literal } from "../load/database.ts";
import { readSql } from "../load/sql.ts";
import { type Moved, replay } from "./order.ts";
import type { Price, Prices } from "./prices.ts";

/** Is told how many of all steps are done. */
export type OnStep = (done: number, steps: number) => void;

type Step = () => Promise<Answer<void>>;

/**
 * READ ME FIRST: values the credits of the period that `namePeriod` has named. Which credits of which
 * top-up each use took is one pass over all uses in SQL, so that it does not grow with the memory:
 * `sql/money/parts.sql` and `draws.sql`. Results are in the tables `money_…`.
 *
 * A problem is a purchase that has no price.
 */
export async function valueCredits(
  db: Database,
  prices: Prices,
  onStep: OnStep,
): Promise<Answer<void>> {
  const make = (name: string, values = {}) => makeTable(db, name, values);
  const first = { first: prices.usedFirst };
  const steps: readonly Step[] = [
    () => prepare(db, prices),
    () => make("uses"),
    () => make("moved"),
    () => splitRefunds(db, prices),
    () => make("priced"),
    () => findUnpriced(db, prices),
    () => make("lots", first),
    () => make("parts"),
    () => make("draws"),
    () => drop(db, ["parts", "uses"]),
    () => make("refunds"),
    () => make("lot_state"),
    () => make("postings"),
  ];
  for (const [at, step] of steps.entries()) {
    onStep(at, steps.length);
    const done = await step();
    if (!done.ok) return done;
  }
  onStep(steps.length, steps.length);
  return answer(undefined);
}

async function makeTable(db: Database, name: string, values: Readonly<Record<string, string>>) {
  await db.run(`CREATE OR REPLACE TABLE money_${name} AS ${readSql(`money/${name}`, values)}`);
  return answer(undefined);
}

async function drop(db: Database, names: readonly string[]): Promise<Answer<void>> {
  for (const name of names) await db.run(`DROP TABLE money_${name}`);
  return answer(undefined);
}

/** What the journal posts to, and how each account is called there. */
const ROLES = [
  ["receivable", "Receivables"],
  ["deferred_revenue", "Deferred revenue"],
  ["output_tax", "Output tax"],
  ["revenue", "Revenue"],
  ["adjustments", "Adjustments of credits"],
  ["losses", "Losses from refunds"],
] as const;

async function prepare(db: Database, { list, accounts }: Prices): Promise<Answer<void>> {
  await db.run(readSql("money/prepare"));
  await insertRows(db, "money_prices", list.map(priceRow));
  const roles = ROLES.map(([role, name]) => [role, "", accounts[role], name]);
  const services = Object.entries(accounts.services).map(([service, number]) => [
    ...["revenue", service, number, `Revenue ${service}`],
  ]);
  const rows = [...roles, ...services].map((row) => row.map(literal));
  await insertRows(db, "money_ledger_accounts", rows);
  return answer(undefined);
}

function priceRow(price: Price, at: number): string[] {
  const { name, currency, beginning, reference } = price;
  return [
    ...[at, literal(name), price.credits, price.net, price.tax, literal(currency), price.places],
    ...[price.fromMs, price.untilMs, literal(beginning)],
    ...[reference === null ? "NULL" : literal(reference), price.several],
  ].map(String);
}

const ROWS_AT_ONCE = 1_000;

async function insertRows(db: Database, table: string, rows: readonly (readonly string[])[]) {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE).map((row) => `(${row.join(", ")})`);
    await db.run(`INSERT INTO ${table} VALUES ${some.join(", ")}`);
  }
}

const movedSchema = z.object({
  no: z.number(),
  record: z.string(),
  kind: z.enum(["grant", "purchase", "adjustment"]),
  reference: z.string(),
  refunds: z.string().nullable(),
  credits: z.coerce.number(),
  used_before: z.coerce.number(),
});

/** Says of each refund what it found unused of its purchase. Few accounts have one. */
async function splitRefunds(db: Database, { usedFirst }: Prices): Promise<Answer<void>> {
  const rows = await db.rows(readSql("money/refunded"), movedSchema);
  const split: string[][] = [];
  for (const account of Map.groupBy(rows, ({ no }) => no).values()) {
    const movements = new Map(
      account.map((row): [Moved, (typeof account)[number]] => [
        { ...row, usedBefore: row.used_before },
        row,
      ]),
    );
    for (const [moved, own] of replay([...movements.keys()], 0, usedFirst).own) {
      const row = movements.get(moved);
      if (row === undefined || row.refunds === null) continue;
      split.push([String(row.no), literal(row.record), String(own)]);
    }
  }
  await db.run("CREATE OR REPLACE TABLE money_split (no INTEGER, record VARCHAR, own BIGINT)");
  await insertRows(db, "money_split", split);
  return answer(undefined);
}

const unpricedSchema = z.object({
  account: z.string(),
  reference: z.string(),
  credits: z.coerce.number(),
  day: z.string(),
  pack_credits: z.coerce.number().nullable(),
  purchases: z.coerce.number(),
});

async function findUnpriced(db: Database, { path }: Prices): Promise<Answer<void>> {
  const [found] = await db.rows(readSql("money/unpriced"), unpricedSchema);
  if (found === undefined) return answer(undefined);
  const { account, reference, credits, day, pack_credits, purchases } = found;
  const purchase = `the purchase ${reference} of ${account} on ${day}`;
  if (pack_credits !== null) {
    return problem(
      `${path}: ${purchase} is of ${credits} credits; the price for ${reference} is of ${pack_credits}.`,
    );
  }
  const others = purchases === 1 ? "" : ` ${purchases} purchases have none.`;
  return problem(
    `${path} has no price for ${purchase}: no pack of ${credits} credits is sold on that day under ` +
      `such a reference.${others} Add a pack, or a [[purchase]] with this reference.`,
  );
}
