import { GetItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, describe, expect, it } from "vitest";
import { exportLocal } from "../../../infra/finance/export/local.ts";
import { createAccount, listAccounts, showAccount } from "../../../infra/ops/accounts.ts";
import { mailboxOf } from "../../../infra/ops/email.ts";
import { checkKeys } from "../../../infra/ops/key-state.ts";
import { moveCredits } from "../../../infra/ops/movement.ts";
import { scanAll } from "../../../infra/ops/scan.ts";
import { type TopUp, topUp } from "../../../infra/ops/topup.ts";
import type { Tables } from "../../../infra/tables/tables.ts";
import { take } from "../../../infra/terminal/answer.ts";
import { makeFolder, reconciled } from "../finance/exports.ts";
import { losing, startTables } from "./engine.ts";

const { tables, stop } = await startTables();
afterAll(stop);

let accountsMade = 0;
const newEmail = () => `holder${++accountsMade}@example.com`;
const newAccount = async () => take(await createAccount(tables, newEmail())).account_id;

async function creditRecords(account: string): Promise<number> {
  const { Count = 0 } = await tables.client.send(
    new QueryCommand({
      TableName: tables.ledger,
      KeyConditionExpression: "account_period = :period",
      ExpressionAttributeValues: { ":period": { S: `${account}#credits` } },
    }),
  );
  return Count;
}

async function accountsWith(mailbox: string): Promise<string[]> {
  const all = take(await listAccounts(tables));
  return all
    .filter(({ email }) => mailboxOf(email) === mailbox)
    .map(({ account_id }) => account_id);
}

describe("one mailbox", () => {
  it.each([
    ["A.Holder@Example.com", "a.holder@example.com"],
    ["a+1@example.com", "a@example.com"],
    ["a+1+2@example.com", "a@example.com"],
    ["a.h.o@gmail.com", "aho@gmail.com"],
    ["a.h.o+x@GoogleMail.com", "aho@gmail.com"],
    ["a.b@pm.me", "ab@proton.me"],
    ["a@me.com", "a@icloud.com"],
    ["+tag@example.com", "+tag@example.com"],
  ])("has %s", (spelling, mailbox) => {
    expect(mailboxOf(spelling)).toBe(mailbox);
    expect(mailboxOf(` ${spelling} `)).toBe(mailbox);
  });

  it("is not shared by names that differ", () => {
    const mailboxes = ["a.b@example.com", "ab@example.com", "a@example.org", "a-b@example.com"];
    expect(new Set(mailboxes.map(mailboxOf)).size).toBe(4);
  });

  it("has one account and 20 free credits, in whatever spelling they are asked for again", async () => {
    const first = take(await createAccount(tables, "free.credits@gmail.com"));
    for (const again of ["freecredits@gmail.com", "FREE.credits+2@googlemail.com"]) {
      expect(await createAccount(tables, again)).toEqual({
        ok: false,
        problem: expect.stringContaining(first.account_id),
      });
    }
    expect(await accountsWith("freecredits@gmail.com")).toEqual([first.account_id]);
    expect(take(await showAccount(tables, first.account_id)).granted).toBe(20);
  });

  it("has one account when several are created at once", async () => {
    for (let round = 0; round < 5; round++) {
      const name = `race${round}`;
      const spellings = [`${name}@example.com`, `${name}+a@example.com`, `${name}+b@example.com`];
      const answers = await Promise.all(spellings.map((email) => createAccount(tables, email)));
      const accounts = await accountsWith(`${name}@example.com`);
      expect(accounts).toHaveLength(1);
      expect(answers.some(({ ok }) => ok)).toBe(true);
      for (const answer of answers) expect(JSON.stringify(answer)).toContain(accounts[0]);
      expect(take(await showAccount(tables, accounts[0] ?? ""))).toMatchObject({
        available: 20,
        granted: 20,
        pending_top_ups: 0,
      });
      expect(await creditRecords(accounts[0] ?? "")).toBe(1);
    }
  });

  // The claim, the account, the grant's record and its conclusion.
  it.each([1, 2, 3, 4])(
    "gets its account whole when write %i of a creation was lost",
    async (nth) => {
      for (const loss of ["request", "answer"] as const) {
        const email = newEmail();
        expect((await createAccount(losing(tables, nth, loss), email)).ok).toBe(false);
        await createAccount(tables, email);
        const accounts = await accountsWith(email);
        expect(accounts).toHaveLength(1);
        expect(take(await showAccount(tables, accounts[0] ?? ""))).toMatchObject({
          email,
          granted: 20,
          available: 20,
          pending_top_ups: 0,
        });
      }
    },
  );

  it("is not written on the account, which the worker reads", async () => {
    const account = await newAccount();
    const { Item } = await tables.client.send(
      new GetItemCommand({ TableName: tables.accounts, Key: { account: { S: account } } }),
    );
    expect(JSON.stringify(Item)).not.toContain("@");
    expect(take(await showAccount(tables, account)).email).toMatch(/^holder\d+@example.com$/);
  });
});

describe("a reference", () => {
  const purchase = (account: string, reference: string): TopUp => ({
    account,
    kind: "purchase",
    credits: 50,
    reference,
    by: "billing@example.com",
  });

  it("counts once for one account, however often it is repeated", async () => {
    const wanted = purchase(await newAccount(), "INV-ONCE");
    expect(take(await moveCredits(tables, wanted))).toEqual({ counted: true });
    expect(take(await moveCredits(tables, wanted))).toEqual({ counted: false });
    expect(take(await showAccount(tables, wanted.account)).granted).toBe(70);
  });

  it("of another account or kind is refused with who has it", async () => {
    const [first, second] = [await newAccount(), await newAccount()];
    take(await moveCredits(tables, purchase(first, "INV-TWO")));
    for (const wanted of [
      purchase(second, "INV-TWO"),
      { ...purchase(first, "INV-TWO"), kind: "grant" as const },
    ]) {
      expect(await moveCredits(tables, wanted)).toEqual({
        ok: false,
        problem: expect.stringContaining(`belongs to the purchase of ${first}`),
      });
    }
    expect(take(await showAccount(tables, first)).granted).toBe(70);
    expect(take(await showAccount(tables, second)).granted).toBe(20);
  });

  it("counts for one of two accounts that take it at once", async () => {
    const wanted = [
      purchase(await newAccount(), "INV-RACE"),
      purchase(await newAccount(), "INV-RACE"),
    ];
    const answers = await Promise.all(wanted.map((one) => moveCredits(tables, one)));
    expect(answers.filter((answer) => answer.ok && answer.value.counted)).toHaveLength(1);
    const shown = await Promise.all(wanted.map(({ account }) => showAccount(tables, account)));
    expect(shown.map((answer) => take(answer).granted).sort()).toEqual([20, 70]);
  });

  it("of no account is not taken", async () => {
    expect((await moveCredits(tables, purchase("acct_x", "INV-FREE"))).ok).toBe(false);
    const wanted = purchase(await newAccount(), "INV-FREE");
    expect(take(await moveCredits(tables, wanted))).toEqual({ counted: true });
  });

  // The claim, the announcement, the record and its conclusion.
  it.each([1, 2, 3, 4])("counts once when write %i was lost", async (nth) => {
    for (const loss of ["request", "answer"] as const) {
      const wanted = purchase(await newAccount(), `INV-${nth}-${loss}`);
      expect((await moveCredits(losing(tables, nth, loss), wanted)).ok).toBe(false);
      take(await moveCredits(tables, wanted));
      expect(take(await showAccount(tables, wanted.account))).toMatchObject({
        granted: 70,
        available: 70,
        pending_top_ups: 0,
      });
    }
  });

  it("is said to have counted by one of two calls that go on with one announcement", async () => {
    const wanted = purchase(await newAccount(), "INV-BOTH");
    const meeting = Promise.withResolvers<void>();
    let arrived = 0;
    // Both have found the announcement before either writes the record.
    const put: Tables["dynamo"]["put"] = async (write) => {
      arrived += 1;
      if (arrived === 2) meeting.resolve();
      await meeting.promise;
      return tables.dynamo.put(write);
    };
    const nonceAt = { ...tables, dynamo: { ...tables.dynamo, put } };
    const announced = await topUp(losing(tables, 2, "request"), wanted);
    expect(announced.ok).toBe(false);
    const answers = await Promise.all([topUp(nonceAt, wanted), topUp(nonceAt, wanted)]);
    expect(answers.map((answer) => take(answer).counted).sort()).toEqual([false, true]);
    expect(take(await showAccount(tables, wanted.account)).granted).toBe(70);
  });
});

describe("claims", () => {
  it("are no keys: no list and no check of keys has them", async () => {
    const items = take(await scanAll(tables, tables.apiKeys));
    expect(items.length).toBeGreaterThan(20);
    expect(items.filter((item) => "account" in item)).toEqual([]);
    expect(take(await checkKeys(tables))).toEqual([]);
  });

  it("leave finance's books balanced", async () => {
    const home = await makeFolder();
    try {
      const scan = (table: string) => scanAll(tables, table);
      take(await exportLocal({ ...tables, scan, now: () => Date.now() }, home.folder));
      const { answer, findings } = await reconciled([home.folder]);
      expect({ ok: answer.ok, findings }).toEqual({ ok: true, findings: [] });
    } finally {
      await home.remove();
    }
  });
});
