import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { openExport } from "../../../infra/finance/export/write.ts";
import { CLOSING_MS } from "../../../infra/finance/generate/calendar.ts";
import { generate } from "../../../infra/finance/generate/generate.ts";
import type { Database } from "../../../infra/finance/load/database.ts";
import { collectMoney, type Money } from "../../../infra/finance/money/collect.ts";
import { parsePrices } from "../../../infra/finance/money/prices.ts";
import { valueCredits } from "../../../infra/finance/money/value.ts";
import { reconcile } from "../../../infra/finance/prove/reconcile.ts";
import { periodOf } from "../../../infra/finance/read/period.ts";
import { collect } from "../../../infra/finance/report/collect.ts";
import { take } from "../../../infra/terminal/answer.ts";
import { makeFolder, withDatabase } from "./exports.ts";
import { computeMoney, type OraclePack, readItems, type Sums } from "./money-oracle.ts";

/** `npm run test:finance` uses more seeds than there is time for in every run of the tests. */
const SEEDS = process.env["npm_lifecycle_event"] === "test:finance" ? 50 : 3;

/** Amounts that no number of credits divides, in currencies of two, no and three decimal places. */
const PACKS: readonly (OraclePack & { readonly text: string })[] = [
  pack("", { credits: 500, net: "33.33", tax: "19", currency: "EUR" }, [3333n, 633n]),
  pack("", { credits: 1500, net: "99.98", tax: "7.7", currency: "EUR" }, [9998n, 770n]),
  pack("INV-a", { credits: 500, net: "4999", tax: "10", currency: "JPY" }, [4999n, 500n]),
  pack("INV-b", { credits: 500, net: "12.345", tax: "0", currency: "KWD" }, [12345n, 0n]),
];

function pack(
  beginning: string,
  price: { credits: number; net: string; tax: string; currency: string },
  [net, tax]: readonly [bigint, bigint],
) {
  const { credits, currency } = price;
  const text = `[[pack]]
name = "${currency} ${credits}"
credits = ${credits}
net = "${price.net}"
tax_percent = "${price.tax}"
currency = "${currency}"
from = 2026-01-01
several = true
${beginning === "" ? "" : `reference = "${beginning}"`}
`;
  return { beginning, credits, net, tax, currency, text };
}

function pricesText(usedFirst: string, packs = PACKS): string {
  return `used_first = "${usedFirst}"
[accounts]
receivable = "1200"
deferred_revenue = "3900"
output_tax = "3806"
revenue = "4400"
adjustments = "4830"
losses = "6930"
[accounts.services]
microblog = "4401"
${packs.map(({ text }) => text).join("\n")}`;
}

let home: Awaited<ReturnType<typeof makeFolder>>;
beforeAll(async () => {
  home = await makeFolder();
});
afterAll(() => home.remove());

/** The money of a generated month. */
async function moneyOf(folders: readonly string[], month: string, text: string): Promise<Money> {
  return withDatabase((db) => valued(db, folders, { month, text }));
}

async function valued(
  db: Database,
  folders: readonly string[],
  { month, text }: { month: string; text: string },
): Promise<Money> {
  const prices = take(parsePrices("prices.toml", text));
  const period = periodOf(month);
  await collect(db, take(await reconcile(db, { folders, period, macs: null }, () => {})), period);
  take(await valueCredits(db, prices, () => {}));
  return collectMoney(db, prices);
}

/** Names of the sums of a roll-forward. */
const SUMS = [
  ...["opening_credits", "added_credits", "raised_credits", "used_credits", "adjusted_credits"],
  ...["refunded_credits", "closing_credits", "opening_net", "sold_net", "sold_tax", "used_net"],
  ...["adjusted_net", "refunded_net", "closing_net"],
] as const;

/** What finance computed, under the oracle's names. */
function sumsOf(money: Money): Sums {
  const sums: Sums = new Map();
  const set = (name: string, value: string | number) => {
    const minor = BigInt(String(value).replace(".", ""));
    if (minor !== 0n) sums.set(name.trim(), minor);
  };
  for (const row of money.rollforward) {
    for (const name of SUMS) set(`${name} ${row.class} ${row.currency}`, row[name]);
  }
  for (const { day, service, currency, credits, net } of money.revenue) {
    const of = `${day} ${service} ${currency === "" ? "granted" : "purchased"} ${currency}`;
    set(`revenue_credits ${of}`, credits);
    set(`revenue_net ${of}`, net);
  }
  for (const { reason, currency, net, tax, loss } of money.refunds) {
    set(`${reason} net purchased ${currency}`, net);
    set(`${reason} tax purchased ${currency}`, tax);
    set(`${reason} loss purchased ${currency}`, loss);
  }
  return sums;
}

const inOrder = (sums: Sums) => [...sums].sort(([a], [b]) => (a < b ? -1 : 1));

describe("the month's money", () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed + 1))(
    "is to the cent what plain code computes from the raw records, seed %i",
    async (seed) => {
      const to = join(home.folder, `money-${seed}`);
      const made = await generate({ records: 4_000, accounts: 150 + seed, seed, faults: 0, to });
      const { month, closing } = made;
      for (const first of ["granted", "purchased"] as const) {
        const money = await moneyOf([closing], month, pricesText(first));
        const expected = await computeMoney({ folder: closing, month, packs: PACKS, first });
        expect(inOrder(sumsOf(money))).toEqual(inOrder(expected));
        for (const { valued: credits, ledger } of money.reconciled) expect(credits).toBe(ledger);
        expect(new Set(money.rollforward.map(({ currency }) => currency)).size).toBe(4);
        for (const row of money.rollforward) expect(unexplained(row)).toBe(0n);
      }
    },
    120_000,
  );

  it("counts what a refund takes beyond what was unused of its purchase as taken from the others", async () => {
    const to = join(home.folder, "beyond");
    const made = await generate({ records: 6_000, accounts: 40, seed: 11, faults: 0, to });
    const beyond = join(home.folder, "beyond-closing");
    expect(await addRefunds(made.closing, beyond)).toBeGreaterThan(15);
    const { month } = made;
    for (const first of ["granted", "purchased"] as const) {
      const money = await moneyOf([beyond], month, pricesText(first));
      const expected = await computeMoney({ folder: beyond, month, packs: PACKS, first });
      expect(inOrder(sumsOf(money))).toEqual(inOrder(expected));
      for (const { valued: credits, ledger } of money.reconciled) expect(credits).toBe(ledger);
      const lossy = money.refunds.filter(
        ({ reason, loss }) => reason === "refund" && Number(loss) > 0,
      );
      expect(lossy.length).toBeGreaterThan(0);
      for (const row of money.rollforward) expect(unexplained(row)).toBe(0n);
    }
  }, 180_000);

  it("needs a price for each purchase, and says which one has none", async () => {
    const to = join(home.folder, "unpriced");
    const made = await generate({ records: 400, accounts: 40, seed: 12, faults: 0, to });
    const only = pricesText("granted", PACKS.slice(2));
    const prices = take(parsePrices("prices.toml", only));
    const outcome = await withDatabase(async (db) => {
      const wanted = { folders: [made.closing], period: periodOf(null), macs: null };
      await collect(db, take(await reconcile(db, wanted, () => {})), wanted.period);
      return valueCredits(db, prices, () => {});
    });
    expect(outcome).toMatchObject({
      ok: false,
      problem: expect.stringMatching(
        /^prices\.toml has no price for the purchase INV-[0-9a-f]{16} of acct_[0-9a-f]{18} on 2026-\d\d-\d\d: no pack of \d+ credits is sold on that day under such a reference\. \d+ purchases have none\./,
      ),
    });
  }, 180_000);
});

const exported = z.object({
  account: z.object({ S: z.string() }),
  available: z.object({ N: z.string() }).optional(),
  granted: z.object({ N: z.string() }).optional(),
  kind: z.object({ S: z.string() }).optional(),
  reference: z.object({ S: z.string() }).optional(),
  created_at: z.object({ S: z.string() }).optional(),
});

/** The same export with a refund of the first purchase on each account that has 30 credits available. */
async function addRefunds(from: string, folder: string): Promise<number> {
  const items = (await readItems(from)).map((item) => itemSchema.parse(item));
  const purchases = firstPurchases(items);
  const period = { kind: "full", atMs: CLOSING_MS } as const;
  const accounts = await openExport({ folder, period, table: "pmrs-accounts", exportId: "a" });
  const ledger = await openExport({ folder, period, table: "pmrs-ledger", exportId: "b" });
  let refunds = 0;
  for (const item of items) {
    const { account, available, granted, kind } = exported.parse(item);
    const purchase = purchases.get(account.S);
    if (purchase === undefined || Number(available?.N ?? 0) < 30) {
      await (kind === undefined ? accounts : ledger).write(JSON.stringify({ Item: item }));
    } else {
      refunds += 1;
      const poorer = { ...item, available: less(available), granted: less(granted) };
      await accounts.write(JSON.stringify({ Item: poorer }));
      await ledger.write(JSON.stringify({ Item: refundItem(account.S, purchase) }));
    }
  }
  await accounts.finish();
  await ledger.finish();
  return refunds;
}

const less = (before?: { N: string }) => ({ N: String(Number(before?.N) - 30) });

/** References of the oldest purchases, by account. */
function firstPurchases(items: readonly unknown[]): Map<string, string> {
  const purchases = items
    .map((item) => exported.parse(item))
    .filter(({ kind }) => kind?.S === "purchase")
    .sort((a, b) => ((a.created_at?.S ?? "") < (b.created_at?.S ?? "") ? 1 : -1));
  // The last one of an account stays in the map: the oldest.
  return new Map(purchases.map(({ account, reference }) => [account.S, reference?.S ?? ""]));
}

const itemSchema = z.record(z.string(), z.unknown());

function refundItem(account: string, purchase: string) {
  return {
    account_period: { S: `${account}#credits` },
    record_id: { S: "adjustment:REF-BEYOND" },
    kind: { S: "adjustment" },
    account: { S: account },
    nonce: { S: "beyond" },
    reference: { S: "REF-BEYOND" },
    refunds: { S: purchase },
    reason: { S: "refund" },
    credits: { N: "-30" },
    created_at: { S: new Date(Date.UTC(2026, 9, 31, 23)).toISOString() },
  };
}

/** Opening + sales − recognised − refunds − closing. */
function unexplained(row: Money["rollforward"][number]): bigint {
  const minor = (decimal: string) => BigInt(decimal.replace(".", ""));
  const recognised = minor(row.used_net) + minor(row.adjusted_net);
  const before = minor(row.opening_net) + minor(row.sold_net) - recognised;
  return before - minor(row.refunded_net) - minor(row.closing_net);
}
