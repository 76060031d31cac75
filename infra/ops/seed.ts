import { randomBytes } from "node:crypto";
import { type Connection, openTables } from "../tables/tables.ts";
import { take } from "../terminal/answer.ts";
import { changeAccount, createAccount } from "./accounts.ts";
import { createKey } from "./keys.ts";

/** An account with its free credits and a key, for working with the local stack. */
export async function seedDevAccount(
  connection: Connection,
): Promise<{ account: string; key: string }> {
  const tables = openTables(connection);
  // A new one each time: an email has one account.
  const email = `dev-${randomBytes(4).toString("hex")}@example.com`;
  const { account_id: account } = take(await createAccount(tables, email));
  take(await changeAccount(tables, account, { email_verified: true }));
  const { key } = take(await createKey(tables, { account, label: "dev" }));
  return { account, key };
}
