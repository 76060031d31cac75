import type { Database } from "../load/database.ts";

/** The reported period: a calendar month (UTC), or everything if `month` is null. */
export interface Period {
  readonly month: string | null;
  readonly fromMs: number;
  /** The last millisecond that belongs to it. */
  readonly lastMs: number;
}

/** @param month `YYYY-MM`, or null for everything. */
export function periodOf(month: string | null): Period {
  if (month === null) return { month, fromMs: 0, lastMs: Date.UTC(9999, 0) };
  const [year = 0, number = 0] = month.split("-").map(Number);
  return {
    month,
    fromMs: Date.UTC(year, number - 1),
    lastMs: Date.UTC(year, number) - 1,
  };
}

/** Creates the period's view and the table of balances, which all of the report's queries use. */
export async function namePeriod(db: Database, { fromMs, lastMs }: Period, balances: string) {
  await db.run(
    `CREATE OR REPLACE TABLE period AS
     SELECT make_timestamp(${fromMs}000) AS from_time, make_timestamp(${lastMs}999) AS last_time`,
  );
  await db.run(`CREATE OR REPLACE TABLE balances AS ${balances}`);
}
