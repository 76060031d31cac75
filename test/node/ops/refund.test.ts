import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeAccount, createAccount, showAccount } from "../../../infra/ops/accounts.ts";
import { moveCredits } from "../../../infra/ops/movement.ts";
import { type Refund, refundPurchase } from "../../../infra/ops/refund.ts";
import type { Connection, Tables } from "../../../infra/tables/tables.ts";
import { take } from "../../../infra/terminal/answer.ts";
import type { Ledger } from "../../../src/credits/ledger.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { runOps } from "./command.ts";
import { type Loss, losing, startTables } from "./engine.ts";

let connection: Connection;
let tables: Tables;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ connection, tables, stop } = await startTables());
});
afterAll(() => stop());

const SERVICE = "photo-feed-story";
const MULTIPLIER = 2;
let invoices = 0;

/** An account with 20 granted credits and these purchases, in order. */
async function customer(...purchases: readonly number[]) {
  const { account_id: account } = take(
    await createAccount(tables, `${crypto.randomUUID()}@example.com`),
  );
  take(await changeAccount(tables, account, { email_verified: true }));
  const references: string[] = [];
  for (const credits of purchases) {
    const reference = `INV-${++invoices}`;
    references.push(reference);
    take(await moveCredits(tables, { account, kind: "purchase", credits, reference }));
  }
  const [first = "", last = ""] = [references[0], references.at(-1)];
  return { account, first, last };
}

function ledger(): Ledger {
  return {
    dynamo: tables.dynamo,
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
    now: Date.now,
    authenticate: tables.authenticate,
    sleep: async () => {},
    random: () => 0.5,
    nonce: () => crypto.randomUUID().slice(0, 8),
    holdLifeMs: 180_000,
    log: () => {},
  };
}

/** A running request of so many credits. */
async function hold(account: string, credits: number) {
  const wanted = { account, requestId: uuidv7(), service: SERVICE, credits } as const;
  const reserved = await reserve(ledger(), wanted);
  if (!reserved.ok) throw new Error("not reserved");
  return reserved.value;
}

async function use(account: string, credits: number) {
  const held = await hold(account, credits);
  const settled = {
    keyId: "key_1",
    service: SERVICE,
    outcome: "OK",
    multiplier: MULTIPLIER,
  } as const;
  await settle(ledger(), held, { ...settled, itemCount: credits / MULTIPLIER });
  await release(ledger(), held, credits);
}

async function recordOf(account: string, reference: string) {
  const Key = {
    account_period: { S: `${account}#credits` },
    record_id: { S: `adjustment:${reference}` },
  };
  const found = await tables.dynamo.read({ TableName: tables.ledger, Key });
  return found.outcome === "read" ? found.item : null;
}

const refundOf = (account: string, purchase: string, more: Partial<Refund> = {}): Refund => ({
  account,
  purchase,
  reference: `REF-${purchase}`,
  reason: "refund",
  usedFirst: "granted",
  ...more,
});

describe("a refund of a purchase", () => {
  it("takes back what is unused of it, and its record names it", async () => {
    const { account, last } = await customer(40, 100);
    await use(account, 40);
    await use(account, 30);
    expect(take(await refundPurchase(tables, refundOf(account, last)))).toEqual({
      account_id: account,
      purchase: last,
      reference: `REF-${last}`,
      reason: "refund",
      purchased: 100,
      refunded_before: 0,
      taken: 90,
      not_taken: 10,
      available: 0,
      counted: true,
    });
    expect(await recordOf(account, `REF-${last}`)).toMatchObject({
      kind: { S: "adjustment" },
      credits: { N: "-90" },
      refunds: { S: last },
      reason: { S: "refund" },
    });
    expect(take(await showAccount(tables, account))).toMatchObject({
      granted: 70,
      charged: 70,
      available: 0,
      held: 0,
      pending_top_ups: 0,
    });
  });

  it("leaves later purchases alone, and says that nothing is left when all is used", async () => {
    const { account, first } = await customer(40, 100);
    await use(account, 40);
    await use(account, 30);
    expect(await refundPurchase(tables, refundOf(account, first))).toEqual({
      ok: false,
      problem:
        `Nothing of the purchase ${first} is unused: of its 40 credits 0 were taken back before, ` +
        "and 40 are used or held by running requests.",
    });
    expect(await recordOf(account, `REF-${first}`)).toBeNull();
    expect(take(await showAccount(tables, account))).toMatchObject({ available: 90 });
  });

  it("counts what running requests hold as used", async () => {
    const { account, first } = await customer(40);
    await hold(account, 30);
    const done = take(await refundPurchase(tables, refundOf(account, first)));
    expect(done).toMatchObject({ taken: 30, not_taken: 10, available: 0 });
    expect(take(await showAccount(tables, account))).toMatchObject({ held: 30, available: 0 });
  });

  it("finds more used of it where purchased credits are used first", async () => {
    const { account, first } = await customer(40);
    await use(account, 20);
    const purchasedFirst = refundOf(account, first, { usedFirst: "purchased" });
    expect(take(await refundPurchase(tables, purchasedFirst))).toMatchObject({
      taken: 20,
      not_taken: 20,
      available: 20,
    });
  });

  it("cannot take from a purchase what a later grant covers only since then", async () => {
    const { account, first } = await customer(40);
    await use(account, 40);
    const gift = { account, kind: "grant", credits: 100, reference: `GIFT-${first}` } as const;
    take(await moveCredits(tables, gift));
    const done = take(await refundPurchase(tables, refundOf(account, first)));
    expect(done).toMatchObject({ taken: 20, not_taken: 20, available: 100 });
  });

  it("counts once, however often it is repeated, and keeps its number", async () => {
    const { account, first } = await customer(40);
    const wanted = refundOf(account, first);
    expect(take(await refundPurchase(tables, wanted))).toMatchObject({ taken: 40, counted: true });
    take(
      await moveCredits(tables, { account, kind: "grant", credits: 5, reference: `G-${first}` }),
    );
    expect(take(await refundPurchase(tables, wanted))).toMatchObject({ taken: 40, counted: false });
    expect(take(await showAccount(tables, account))).toMatchObject({ available: 25, granted: 25 });
  });

  it.each(
    [1, 2, 3, 4].flatMap((nth) => (["request", "answer"] as const).map((loss) => ({ nth, loss }))),
  )(
    "is completed by a repetition when the $loss of write $nth is lost",
    async ({ nth, loss }: { nth: number; loss: Loss }) => {
      const { account, first } = await customer(40);
      const wanted = refundOf(account, first);
      const lost = await refundPurchase(losing(tables, nth, loss), wanted);
      expect(lost.ok).toBe(false);
      expect(take(await refundPurchase(tables, wanted))).toMatchObject({ taken: 40 });
      expect(take(await showAccount(tables, account))).toMatchObject({
        available: 20,
        granted: 20,
        pending_top_ups: 0,
      });
    },
  );

  it("takes no more than the purchase had, over several refunds", async () => {
    const { account, first } = await customer(40);
    await hold(account, 30);
    take(await refundPurchase(tables, refundOf(account, first)));
    const again = refundOf(account, first, { reference: `REF2-${first}` });
    expect(await refundPurchase(tables, again)).toMatchObject({
      problem: expect.stringContaining(
        "of its 40 credits 30 were taken back before, and 10 are used",
      ),
    });
  });

  it("needs a purchase of the account, and a reference that is nobody else's", async () => {
    const { account } = await customer(40);
    const other = await customer(40, 60);
    expect(await refundPurchase(tables, refundOf(account, other.first))).toEqual({
      ok: false,
      problem: `The account has no purchase ${other.first}.`,
    });
    const reference = `REF-${other.first}`;
    take(await refundPurchase(tables, refundOf(other.account, other.first)));
    expect(
      await refundPurchase(tables, refundOf(other.account, other.last, { reference })),
    ).toMatchObject({ problem: expect.stringContaining("refunds something else") });
    expect(take(await showAccount(tables, other.account))).toMatchObject({ available: 80 });
  });
});

describe("a chargeback", () => {
  it("is recorded even if nothing can be taken", async () => {
    const { account, first } = await customer(20);
    await use(account, 40);
    const wanted = refundOf(account, first, { reason: "chargeback" });
    const done = take(await refundPurchase(tables, wanted));
    expect(done).toMatchObject({ taken: 0, not_taken: 20, counted: true });
    expect(await recordOf(account, `REF-${first}`)).toMatchObject({
      credits: { N: "0" },
      reason: { S: "chargeback" },
      refunds: { S: first },
    });
    expect(take(await refundPurchase(tables, wanted))).toMatchObject({ counted: false });
    expect(take(await showAccount(tables, account))).toMatchObject({ pending_top_ups: 0 });
  });
});

describe("ops credits refund", () => {
  it("prints what was taken and what was not", async () => {
    const { account, first } = await customer(100);
    await use(account, 40);
    const words = ["credits", "refund", "--account", account, "--purchase", first];
    const { out, code } = await runOps(connection, ["--json", ...words, "--reference", "CN-1"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ taken: 80, not_taken: 20, reason: "refund" });
  });

  it("refuses an order of use that finance does not know", async () => {
    const words = ["credits", "refund", "--account", "acct_x", "--purchase", "INV-1"];
    const order = ["--reference", "CN-2", "--used-first", "newest"];
    expect(await runOps(connection, [...words, ...order])).toMatchObject({ code: 2, out: "" });
  });
});
