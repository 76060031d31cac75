import { join } from "node:path";
import { type Database, literal } from "../load/database.ts";
import { readSql } from "../load/sql.ts";

/** The files of the money, in a folder that exists: after `valueCredits`. */
export async function writeMoney(db: Database, folder: string, hasEmails: boolean): Promise<void> {
  for (const name of ["journal", "deferred", "revenue"] as const) {
    const query = readSql(`money/${name}`);
    const path = literal(join(folder, `${name}.csv`));
    await db.run("SET preserve_insertion_order = true");
    await db.run(
      `COPY (${hasEmails ? EMAILED[name](query) : query}) TO ${path} (FORMAT csv, HEADER)`,
    );
    await db.run("SET preserve_insertion_order = false");
  }
}

/** The same lines, with the email of each customer at their end. */
const EMAILED = {
  journal: (query: string) => emailed(query, "customer", "entry, debit IS NULL, ledger_account"),
  deferred: (query: string) => emailed(query, "account", "account, day, reference"),
  revenue: (query: string) => query,
};

function emailed(query: string, account: string, order: string): string {
  return `SELECT t.*, guard(e.email) AS email
    FROM (${query}) t LEFT JOIN emails e ON e.account = t.${account} ORDER BY ${order}`;
}
