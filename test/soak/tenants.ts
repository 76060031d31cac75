import { changeAccount, createAccount, showAccount } from "../../infra/ops/accounts.ts";
import { createKey } from "../../infra/ops/keys.ts";
import { topUp } from "../../infra/ops/topup.ts";
import type { Tables } from "../../infra/tables/tables.ts";
import { take } from "../../infra/terminal/answer.ts";

const BOUGHT = 1_000_000;

export interface Tenant {
  readonly account: string;
  readonly key: string;
}

/** Accounts with credits for any soak, each with a key. */
export async function createTenants(tables: Tables, count: number): Promise<readonly Tenant[]> {
  const tenants: Tenant[] = [];
  for (let at = 0; at < count; at++) {
    const { account_id: account } = take(await createAccount(tables, `soak${at}@example.com`));
    take(await changeAccount(tables, account, { email_verified: true }));
    const bought = { account, kind: "purchase", credits: BOUGHT } as const;
    take(await topUp(tables, { ...bought, reference: `INV-${at}` }));
    const { key } = take(await createKey(tables, { account, label: "soak" }));
    tenants.push({ account, key });
  }
  return tenants;
}

/** What is wrong with the tenants' balances in the end; empty when nothing is. */
export async function problemsOf(
  tables: Tables,
  tenants: readonly Tenant[],
): Promise<readonly string[]> {
  const views = await Promise.all(tenants.map(({ account }) => showAccount(tables, account)));
  return views.flatMap((view) => {
    const { account_id: account, available, held, charged, granted, open_holds } = take(view);
    const isSound = available + charged === granted && held === 0 && open_holds === 0;
    return isSound ? [] : [`${account}: ${JSON.stringify(take(view))}`];
  });
}
