import type { Series } from "../read/series.ts";
import type { Database } from "./database.ts";
import { readSql } from "./sql.ts";

/**
 * Number of the tables with the closing state: of the last snapshot, or of a state made from
 * windows.
 */
export async function makeClosing(db: Database, { snapshots, windows }: Series): Promise<number> {
  const last = snapshots.length - 1;
  if (!windows.some(({ applied }) => applied)) return last;
  const keys = {
    accounts: { keys: "account", same: "c.account = b.account" },
    ledger: {
      keys: "period, record, request",
      same:
        "c.period = b.period AND c.record IS NOT DISTINCT FROM b.record " +
        "AND c.request IS NOT DISTINCT FROM b.request",
    },
  } as const;
  for (const table of ["accounts", "ledger"] as const) {
    const sql = readSql("load/apply", {
      base: `${table}_${last}`,
      changes: `${table}_changes`,
      ...keys[table],
    });
    await db.run(`CREATE TABLE ${table}_${last + 1} AS ${sql}`);
  }
  return last + 1;
}

type State = "" | "opening_" | "old_" | "new_";

/**
 * Creates the views that the checks read, for one state.
 * @param of empty for the closing state, `opening_` for the state it is compared with
 */
export async function nameState(db: Database, of: "" | "opening_", at: number): Promise<void> {
  await db.run(`CREATE OR REPLACE VIEW ${of}accounts AS SELECT * FROM accounts_${at}`);
  await nameLedger(db, of, `SELECT * FROM ledger_${at}`);
  for (const view of ["holds", "counters", "pending"]) {
    await db.run(`CREATE OR REPLACE VIEW ${of}${view} AS ${readSql(`views/${view}`, { of })}`);
  }
  for (const sum of ["charges", "topups"]) {
    await db.run(`CREATE OR REPLACE TABLE ${of}${sum} AS ${readSql(`sums/${sum}`, { of })}`);
  }
}

/** The API keys and the claims, as they were at the time of their export. */
export async function nameKeys(db: Database, keysMs: number): Promise<void> {
  for (const view of ["api_keys", "claims"]) {
    await db.run(`CREATE OR REPLACE TABLE ${view} AS ${readSql(`views/${view}`)}`);
  }
  await db.run(
    `CREATE OR REPLACE TABLE keys_time AS
     SELECT ${keysMs}::BIGINT AS keys_ms, min(claimed_ms) AS first_claim_ms FROM claims`,
  );
}

/** The ledger records of one window: those it altered or deleted, and those it wrote. */
export async function nameWindow(db: Database, number: number): Promise<void> {
  const here = `window_number = ${number}`;
  await nameLedger(db, "old_", `SELECT * FROM ledger_old WHERE ${here}`);
  await nameLedger(db, "new_", `SELECT * FROM ledger_changes WHERE ${here} AND NOT deleted`);
}

/** All records that windows saw written, as an earlier state of the ledger. */
export function nameSeen(db: Database): Promise<void> {
  return nameLedger(db, "opening_", "SELECT * FROM ledger_changes WHERE NOT deleted");
}

async function nameLedger(db: Database, of: State, query: string): Promise<void> {
  await db.run(`CREATE OR REPLACE VIEW ${of}ledger AS ${query}`);
  for (const view of ["usage", "credits", "records"]) {
    await db.run(`CREATE OR REPLACE VIEW ${of}${view} AS ${readSql(`views/${view}`, { of })}`);
  }
}
