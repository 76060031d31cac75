import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { v7 as uuidv7 } from "uuid";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { changeAccount, createAccount, listAccounts } from "../../../infra/ops/accounts.ts";
import { moveCredits } from "../../../infra/ops/movement.ts";
import { listMovements, type MovementView } from "../../../infra/ops/movements-list.ts";
import { refundPurchase } from "../../../infra/ops/refund.ts";
import { balance, makeStatement } from "../../../infra/ops/statement.ts";
import { sumMonth } from "../../../infra/ops/usage-sums.ts";
import { take } from "../../../infra/terminal/answer.ts";
import { ledgerKey } from "../../../src/credits/items.ts";
import type { Ledger } from "../../../src/credits/ledger.ts";
import { authenticator } from "../../../src/credits/record-mac.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { blocksOf } from "../blocks.ts";
import { runOps } from "./command.ts";
import { startTables } from "./engine.ts";

/** What an operator looks up and does for a customer. */

const { connection, tables, stop } = await startTables();
afterAll(stop);

const NOW_MS = Date.now();
const THIS_MONTH = new Date(NOW_MS).toISOString().slice(0, 7);
const TODAY = new Date(NOW_MS).toISOString().slice(0, 10);

const ops = (...words: readonly string[]) => runOps(connection, words);

async function newAccount(email = `${crypto.randomUUID()}@example.com`): Promise<string> {
  const { account_id } = take(await createAccount(tables, email, "signup"));
  take(await changeAccount(tables, account_id, { email_verified: true }));
  return account_id;
}

const ledger: Ledger = {
  dynamo: tables.dynamo,
  accountsTable: tables.accounts,
  ledgerTable: tables.ledger,
  now: () => NOW_MS,
  sleep: async () => {},
  random: () => 0.5,
  nonce: () => crypto.randomUUID().slice(0, 8),
  authenticate: authenticator(null),
  holdLifeMs: 180_000,
  log: () => {},
};

type Used = { service: "photo-feed-story" | "microblog"; items: number };

/** A request of today, as the worker makes it. */
async function use(account: string, { service, items }: Used): Promise<void> {
  const multiplier = service === "microblog" ? 1 : 2;
  const credits = 3 * multiplier;
  const wanted = { account, requestId: uuidv7({ msecs: NOW_MS }), service, credits } as const;
  const held = await reserve(ledger, wanted);
  if (!held.ok) throw new Error(held.failure.cause);
  const outcome = items === 0 ? "MEDIA_NOT_FOUND" : "OK";
  const ended = { keyId: "key_1", service, outcome, itemCount: items, multiplier } as const;
  await settle(ledger, held.value, ended);
  await release(ledger, held.value, items * multiplier);
}

/** A usage record of an earlier month, written as it lies in the ledger. */
async function usedAt(account: string, atMs: number, charge: number): Promise<void> {
  const requestId = uuidv7({ msecs: atMs });
  const Key = ledgerKey(account, requestId);
  const numbers = { item_count: { N: String(charge) }, charge: { N: String(charge) } };
  const texts = { kind: { S: "usage" }, account: { S: account }, service: { S: "microblog" } };
  const write = await tables.dynamo.put({
    TableName: tables.ledger,
    Key,
    Item: { ...Key, ...texts, ...numbers, settled_at: { S: new Date(atMs).toISOString() } },
    ConditionExpression: "attribute_not_exists(record_id)",
  });
  expect(write.outcome).toBe("written");
}

async function recordBy(account: string, id: string): Promise<string | undefined> {
  const Key = { account_period: { S: `${account}#credits` }, record_id: { S: id } };
  const found = await tables.dynamo.read({ TableName: tables.ledger, Key });
  return found.outcome === "read" ? found.item?.["by"]?.S : undefined;
}

describe("ops account list --email", () => {
  it("lists the accounts whose email has the part in any case, and no other", async () => {
    const [first, second] = [
      await newAccount("Anna.B@Shop.example"),
      await newAccount("x@y.example"),
    ];
    const found = take(await listAccounts(tables, "SHOP."));
    expect(found.map(({ account_id }) => account_id)).toEqual([first]);
    const all = take(await listAccounts(tables)).map(({ account_id }) => account_id);
    expect(all).toEqual(expect.arrayContaining([first, second]));
    const { out, code } = await ops("--json", "account", "list", "--email", "anna.b@");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ accounts: [{ account_id: first }] });
    expect(await ops("account", "list", "--email", "nobody-has-this")).toMatchObject({
      code: 0,
      out: "None.\n",
    });
  });
});

describe("ops credits list", () => {
  it("lists grants, purchases, adjustments and refunds, with who made each", async () => {
    const account = await newAccount();
    const by = "billing";
    const buy = { account, kind: "purchase", credits: 100, reference: `INV-${account}` } as const;
    take(await moveCredits(tables, { ...buy, by }));
    const reason = "goodwill";
    const gift = { account, kind: "adjustment", credits: 5, reference: `ADJ-${account}` } as const;
    take(await moveCredits(tables, { ...gift, reason }));
    const back = { account, purchase: buy.reference, reference: `REF-${account}` };
    take(
      await refundPurchase(tables, { ...back, reason: "refund", usedFirst: "granted", by: "Jo" }),
    );
    const listed = take(await listMovements(tables, account));
    expect(listed.map(({ created_at: _, ...shown }) => shown)).toEqual([
      row("grant", "test-results", 20, { by: "signup" }),
      row("purchase", buy.reference, 100, { by }),
      row("adjustment", gift.reference, 5, { reason }),
      row("adjustment", back.reference, -100, {
        refunds: buy.reference,
        reason: "refund",
        by: "Jo",
      }),
    ]);
    const { out } = await ops("--json", "credits", "list", "--account", account);
    expect(JSON.parse(out)).toEqual({ movements: listed });
  });

  it("says that there is no such account", async () => {
    const problem = "There is no account acct_x.";
    expect(await listMovements(tables, "acct_x")).toEqual({ ok: false, problem });
    expect(await makeStatement(tables, { account: "acct_x", month: "2026-10" })).toEqual({
      ok: false,
      problem,
    });
    const wanted = { account: "acct_x", month: "2026-10", by: "day" } as const;
    expect(await sumMonth(tables, wanted)).toEqual({ ok: false, problem });
  });
});

function row(kind: string, reference: string, credits: number, more: object) {
  return { kind, reference, credits, refunds: null, reason: null, by: null, ...more };
}

describe("ops usage --by", () => {
  it("adds up requests, items and credits by day or by service, failures too", async () => {
    const account = await newAccount();
    await use(account, { service: "photo-feed-story", items: 3 });
    await use(account, { service: "photo-feed-story", items: 0 });
    await use(account, { service: "microblog", items: 1 });
    const words = ["--json", "usage", "--account", account];
    const byDay = await ops(...words, "--by", "day");
    expect(JSON.parse(byDay.out)).toEqual({
      usage: [{ day: TODAY, requests: 3, items: 4, credits: 7 }],
    });
    const byService = await ops(...words, "--by", "service", "--month", THIS_MONTH);
    expect(JSON.parse(byService.out)).toEqual({
      usage: [
        { service: "microblog", requests: 1, items: 1, credits: 1 },
        { service: "photo-feed-story", requests: 2, items: 3, credits: 6 },
      ],
    });
    const other = await ops(...words, "--month", "2026-01");
    expect(JSON.parse(other.out)).toEqual({ usage: [] });
  });

  it("leaves the commands list and show as they were, and refuses another name", async () => {
    const account = await newAccount();
    const { out } = await ops("--json", "usage", "list", "--account", account);
    expect(JSON.parse(out)).toEqual({ records: [], next: null });
    expect(await ops("usage", "lits", "--account", account)).toMatchObject({ code: 2, out: "" });
  });
});

describe("ops statement", () => {
  it("tells opening, packs, usage by day and service, and closing of the month", async () => {
    const account = await newAccount();
    const pack = { account, kind: "purchase", credits: 50, reference: `INV-${account}` } as const;
    take(await moveCredits(tables, pack));
    await use(account, { service: "photo-feed-story", items: 2 });
    await use(account, { service: "microblog", items: 1 });
    const told = take(await makeStatement(tables, { account, month: THIS_MONTH }));
    expect(told).toMatchObject({
      ...{ account_id: account, month: THIS_MONTH, opening: 0, granted: 20, purchased: 50 },
      ...{ adjusted: 0, used: 5, closing: 65 },
      usage: [
        { day: TODAY, service: "microblog", requests: 1, items: 1, credits: 1 },
        { day: TODAY, service: "photo-feed-story", requests: 1, items: 2, credits: 4 },
      ],
    });
    expect(told.movements.map(({ reference }) => reference)).toEqual([
      "test-results",
      pack.reference,
    ]);
    const people = await ops("statement", "--account", account);
    expect(people).toMatchObject({ code: 0, error: "" });
    expect(people.out).toMatch(/^closing +65$/m);
    expect(people.out).toContain(pack.reference);
    expect(widestOf(people.out)).toBeLessThanOrEqual(80);
  });

  it("opens with what all months before have left", () => {
    const moved = (created_at: string, credits: number, kind = "purchase"): MovementView => ({
      ...{ created_at, credits, kind, reference: "r", refunds: null, reason: null, by: null },
    });
    const movements = [
      moved("2026-08-31T23:59:59.999Z", 20, "grant"),
      moved("2026-09-01T00:00:00.000Z", 500),
      moved("2026-10-01T00:00:00.000Z", 100),
      moved("2026-10-31T23:59:59.999Z", -30, "adjustment"),
      moved("2026-11-01T00:00:00.000Z", 7),
    ];
    const usage = [{ day: "2026-10-02", service: "pinboard", requests: 1, items: 9, credits: 9 }];
    expect(balance("2026-10", { movements, before: 60, usage })).toMatchObject({
      ...{ opening: 460, granted: 0, purchased: 100, adjusted: -30, used: 9, closing: 521 },
      movements: [{ credits: 100 }, { credits: -30 }],
    });
  });

  it("counts the usage of months before the account's current one", async () => {
    const account = await newAccount();
    const beforeMs = Date.parse("2026-03-10T12:00:00Z");
    const Key = { account_period: { S: `${account}#credits` }, record_id: { S: "grant:old" } };
    await tables.dynamo.put({
      TableName: tables.ledger,
      Key,
      Item: {
        ...Key,
        ...{ kind: { S: "grant" }, reference: { S: "old" }, credits: { N: "40" } },
        created_at: { S: "2026-02-27T00:00:00.000Z" },
      },
      ConditionExpression: "attribute_not_exists(record_id)",
    });
    await usedAt(account, beforeMs, 3);
    await usedAt(account, beforeMs + 40 * 86_400_000, 4);
    const told = async (month: string) => take(await makeStatement(tables, { account, month }));
    expect(await told("2026-02")).toMatchObject({ opening: 0, granted: 40, used: 0, closing: 40 });
    expect(await told("2026-03")).toMatchObject({ opening: 40, used: 3, closing: 37 });
    expect(await told("2026-04")).toMatchObject({ opening: 37, used: 4, closing: 33 });
    expect(await told(THIS_MONTH)).toMatchObject({ opening: 33, granted: 20, closing: 53 });
  });

  it.each(["2026-13", "2026", "10-2026", "2026-1"])("refuses the month %j", async (month) => {
    const words = ["statement", "--account", "acct_x", "--month", month];
    expect(await ops(...words)).toMatchObject({ code: 2, out: "" });
  });
});

function widestOf(text: string): number {
  return Math.max(...text.split("\n").map((line) => [...line].length));
}

describe("who moves credits", () => {
  it("is in the ledger: the one of --by, otherwise the user of the machine", async () => {
    const { out } = await ops(
      ...["--json", "account", "create", "--email", "by@example.com", "--by", "Ann (support)"],
    );
    const { account_id: account } = z.object({ account_id: z.string() }).parse(JSON.parse(out));
    expect(await recordBy(account, "grant:test-results")).toBe("Ann (support)");
    const words = ["--account", account, "--credits", "5", "--reference", `G-${account}`];
    expect(await ops("credits", "grant", ...words)).toMatchObject({ code: 0 });
    expect(await recordBy(account, `grant:G-${account}`)).toBe(userInfo().username);
  });

  it.each(["", " ", "a\u001b[1A", "x".repeat(65)])("is refused as %j", async (by) => {
    const words = ["--account", "acct_x", "--credits", "5", "--reference", "r", "--by", by];
    expect(await ops("credits", "grant", ...words)).toMatchObject({ code: 2, out: "" });
  });
});

describe("a large amount", () => {
  const movements = [
    { name: "purchase", credits: "10001", more: [] },
    { name: "grant", credits: "10001", more: [] },
    { name: "adjust", credits: "10001", more: ["--reason", "test"] },
    { name: "adjust", credits: "-10001", more: ["--reason", "test"] },
  ];

  it.each(movements)("is written only with --yes off a terminal: $name $credits", async (one) => {
    const account = await newAccount();
    const begin = { account, kind: "grant", credits: 10_000, reference: `B-${account}` } as const;
    take(await moveCredits(tables, begin));
    const words = ["credits", one.name, "--account", account, `--credits=${one.credits}`];
    const all = [...words, "--reference", `L-${one.credits}-${account}`, ...one.more];
    const asked = await ops(...all);
    expect(asked).toMatchObject({ code: 1, out: "", error: expect.stringContaining("--yes") });
    expect(asked.error).toContain("10001 credits");
    expect(take(await listMovements(tables, account))).toHaveLength(2);
    expect(await ops(...all, "--yes")).toMatchObject({ code: 0, error: "" });
    expect(take(await listMovements(tables, account))).toHaveLength(3);
  });

  it("is more than 10,000 credits", async () => {
    const account = await newAccount();
    const words = ["--account", account, "--credits", "10000", "--reference", `T-${account}`];
    expect(await ops("credits", "purchase", ...words)).toMatchObject({ code: 0, error: "" });
  });

  it("of a refund is what it would take, and is asked about too", async () => {
    const account = await newAccount();
    const purchase = `P-${account}`;
    const pack = { account, kind: "purchase", credits: 10_001, reference: purchase } as const;
    take(await moveCredits(tables, pack));
    const words = ["credits", "refund", "--account", account, "--purchase", purchase];
    const all = [...words, "--reference", `R-${account}`];
    const asked = await ops(...all);
    expect(asked).toMatchObject({ code: 1, out: "" });
    expect(asked.error).toContain(`Take 10001 credits of ${purchase} from ${account}?`);
    expect(take(await listMovements(tables, account))).toHaveLength(2);
    expect(await ops(...all, "--yes")).toMatchObject({ code: 0 });
    expect(take(await listMovements(tables, account))).toHaveLength(3);
  });
});

describe("the page for support", async () => {
  const page = "infra/docs/support.md";
  const shown = blocksOf(page, await readFile(page, "utf8"));

  it("shows only commands that work as they stand there", async () => {
    const account = await newAccount("page@shop.example");
    const pack = { account, kind: "purchase", credits: 50_000, reference: "INV-7" } as const;
    take(await moveCredits(tables, pack));
    await use(account, { service: "microblog", items: 1 });
    const commands = shown.flatMap(({ language, text }) =>
      language === "sh" ? text.split("\n") : [],
    );
    const toolCommands = commands.filter((line) => line.startsWith("npm run --silent ops -- "));
    expect(toolCommands.length).toBeGreaterThan(6);
    for (const command of toolCommands) {
      const words = command.replace("<id>", account).split(" ").slice(5);
      const { error, code } = await ops(...words);
      expect({ command, error, code }).toEqual({ command, error: "", code: 0 });
    }
    const others = commands.filter((line) => !toolCommands.includes(line));
    expect(others).toEqual(['eval "$(npm run --silent ops -- completion bash)"']);
    expect(shown.every(({ language }) => language === "sh")).toBe(true);
  }, 120_000);
});
