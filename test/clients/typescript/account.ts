import { expect } from "vitest";
import type { Stack } from "../../../infra/local/stack.ts";
import { showAccount } from "../../../infra/ops/accounts.ts";
import { seedDevAccount } from "../../../infra/ops/seed.ts";
import { topUp } from "../../../infra/ops/topup.ts";
import { openTables } from "../../../infra/tables/tables.ts";
import { take } from "../../../infra/terminal/answer.ts";

/** A new account's key, and what its books say. */
export async function newAccount({ connection }: Stack, { bought = 0 } = {}) {
  const { account, key } = await seedDevAccount(connection);
  const tables = openTables(connection);
  const purchase = { account, kind: "purchase", credits: bought, reference: account } as const;
  if (bought > 0) take(await topUp(tables, purchase));
  const show = async () => take(await showAccount(tables, account));
  return {
    key,
    /** Once no request is under way any more. */
    balance: async () => {
      await expect.poll(async () => (await show()).open_holds, { timeout: 10_000 }).toBe(0);
      const { available, held, charged } = await show();
      return { available, held, charged };
    },
  };
}
