import * as z from "zod";
import { type Database, literal } from "../load/database.ts";
import { readSql } from "../load/sql.ts";

const count = z.coerce.number();

const accountSchema = z.object({
  account: z.string(),
  email: z.string().nullable(),
  opening: count,
  granted: count,
  purchased: count,
  adjusted: count,
  charged: count,
  closing: count,
});

const movementSchema = z.object({
  account: z.string(),
  day: z.string(),
  kind: z.string(),
  reference: z.string(),
  refunds: z.string().nullable(),
  reason: z.string().nullable(),
  credits: count,
  currency: z.string().nullable(),
  net: z.string().nullable(),
  tax: z.string().nullable(),
  gross: z.string().nullable(),
});
/** A top-up of the account. Its amounts are decimal text; null where nothing is paid. */
export type Movement = z.infer<typeof movementSchema>;

const usageSchema = z.object({
  account: z.string(),
  day: z.string(),
  service: z.string(),
  requests: count,
  items: count,
  credits: count,
});
export type Usage = z.infer<typeof usageSchema>;

/** What one customer is told about the period. */
export interface Statement extends z.infer<typeof accountSchema> {
  readonly month: string | null;
  readonly movements: readonly Movement[];
  readonly usage: readonly Usage[];
}

export interface Wanted {
  readonly month: string | null;
  /** Ids of accounts; empty for every customer of the period. */
  readonly accounts: readonly string[];
  /** Whether `valueCredits` has run. */
  readonly valued: boolean;
}

/** The memory for statements does not grow with their number. */
const ACCOUNTS_AT_ONCE = 250;

/** Prepares the statements of the period that `namePeriod` has named. @returns how many there are. */
export async function prepareStatements(db: Database, wanted: Wanted): Promise<number> {
  const make = (name: string, values = {}) =>
    db.run(`CREATE OR REPLACE TABLE statement_${name} AS ${readSql(`statements/${name}`, values)}`);
  const which =
    wanted.accounts.length === 0
      ? "b.opening <> 0 OR b.granted <> 0 OR b.purchased <> 0 OR b.adjusted <> 0 OR b.charged <> 0"
      : `b.account IN (${wanted.accounts.map(literal).join(", ")})`;
  await make("accounts", { which });
  await make("usage");
  await make("movements", wanted.valued ? VALUED : UNVALUED);
  const [found] = await db.rows(
    "SELECT count(*) AS accounts FROM statement_accounts",
    z.object({ accounts: count }),
  );
  return found?.accounts ?? 0;
}

const UNVALUED = {
  amounts: "NULL AS currency, NULL AS net, NULL AS tax, NULL AS gross",
  joins: "",
};
const VALUED = {
  amounts: `coalesce(l.currency, r.currency) AS currency,
  coalesce(decimal_text(l.net, l.places), decimal_text(-r.money_net, r.places)) AS net,
  coalesce(decimal_text(l.tax, l.places), decimal_text(-r.money_tax, r.places)) AS tax,
  coalesce(decimal_text(l.net + l.tax, l.places), decimal_text(-r.money_net - r.money_tax, r.places))
    AS gross`,
  joins: `LEFT JOIN money_lots l ON l.account = c.account AND l.record = c.record AND l.currency IS NOT NULL
LEFT JOIN money_refunds r ON r.account = c.account AND r.record = c.record`,
};

/** The prepared statements, in the order of their accounts. */
export async function* readStatements(
  db: Database,
  month: string | null,
): AsyncGenerator<Statement> {
  let after = "";
  for (;;) {
    const accounts = await db.rows(
      `SELECT * FROM statement_accounts WHERE account > ${literal(after)}
       ORDER BY account LIMIT ${ACCOUNTS_AT_ONCE}`,
      accountSchema,
    );
    const last = accounts.at(-1)?.account;
    if (last === undefined) return;
    const here = `WHERE account > ${literal(after)} AND account <= ${literal(last)}`;
    const movements = await db.rows(
      `SELECT * REPLACE (CAST(day AS VARCHAR) AS day) FROM statement_movements ${here}
       ORDER BY account, day, reference`,
      movementSchema,
    );
    const usage = await db.rows(
      `SELECT * REPLACE (CAST(day AS VARCHAR) AS day) FROM statement_usage ${here}
       ORDER BY account, day, service`,
      usageSchema,
    );
    const movementsOf = Map.groupBy(movements, ({ account }) => account);
    const usageOf = Map.groupBy(usage, ({ account }) => account);
    for (const one of accounts) {
      const { account } = one;
      yield {
        ...one,
        month,
        movements: movementsOf.get(account) ?? [],
        usage: usageOf.get(account) ?? [],
      };
    }
    after = last;
  }
}
