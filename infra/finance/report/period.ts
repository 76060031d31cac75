import type { Database } from "../load/database.ts";
import type { Period } from "../read/period.ts";

/** Creates the period's view and the table of balances, which all of the report's queries use. */
export async function namePeriod(db: Database, { fromMs, lastMs }: Period, balances: string) {
  await db.run(
    `CREATE OR REPLACE TABLE period AS
     SELECT make_timestamp(${fromMs}000) AS from_time, make_timestamp(${lastMs}999) AS last_time`,
  );
  await db.run(`CREATE OR REPLACE TABLE balances AS ${balances}`);
}
