import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { generate } from "../../../infra/finance/generate/generate.ts";
import { literal } from "../../../infra/finance/load/database.ts";
import { readPrices } from "../../../infra/finance/money/prices.ts";
import type { Report } from "../../../infra/finance/report/collect.ts";
import { makeReport, writeResults } from "../../../infra/finance/results.ts";
import { take } from "../../../infra/terminal/answer.ts";
import { makeFolder, withDatabase } from "./exports.ts";

const CHROMIUM = "/usr/bin/chromium";
const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) console.warn(`No ${CHROMIUM}: the pages are not tested in a browser.`);
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let home: Awaited<ReturnType<typeof makeFolder>>;
let to: string;
let out: string;
let report: Report;
let customer: string;

/** The example's prices, with a currency that half of the invented references have. */
async function writePrices(): Promise<string> {
  const path = join(home.folder, "prices.toml");
  const example = await readFile("infra/finance/money/prices.example.toml", "utf8");
  const dollars = ["8", "9", "a", "b", "c", "d", "e", "f"].map(
    (digit) => `[[pack]]
name = "Dollars ${digit}"
credits = 500
gross = "51.07"
tax_percent = "8.875"
currency = "USD"
from = 2026-01-01
several = true
reference = "INV-${digit}"
`,
  );
  await writeFile(path, `${example}\n${dollars.join("\n")}`);
  return path;
}

beforeAll(async () => {
  home = await makeFolder();
  to = join(home.folder, "month");
  out = join(home.folder, "out");
  const { month } = await generate({ records: 3_000, accounts: 120, seed: 8, faults: 0, to });
  const pricesFile = await writePrices();
  const prices = take(await readPrices(pricesFile));
  report = await withDatabase(async (db) => {
    const emails = await writeEmails();
    const inputs = { folders: [to], month, macs: null, prices, emails };
    const made = take(await makeReport(db, inputs, () => {}));
    const outputs = {
      report: made.report,
      folder: out,
      statements: true,
      accounts: [],
      pricesFile,
    };
    take(await writeResults(db, outputs, () => {}));
    return made.report;
  });
}, 180_000);
afterAll(() => home.remove());

/** Emails of all accounts, as the operator's tool lists them. */
async function writeEmails(): Promise<string> {
  const path = join(home.folder, "accounts.json");
  const { readItems } = await import("./money-oracle.ts");
  const named = z.object({ account: z.object({ S: z.string() }), available: z.object({}) });
  const ids = (await readItems(join(to, "closing")))
    .flatMap((item) => named.safeParse(item).data?.account.S ?? [])
    .sort();
  customer = ids[0] ?? "";
  const accounts = ids.map((id, at) => ({ account_id: id, email: `=customer${at}@example.com` }));
  await writeFile(path, JSON.stringify({ accounts }));
  return path;
}

const count = z.coerce.number();
const cents = (decimal: string | null) => BigInt((decimal ?? "0").replace(".", ""));

/** All rows of a written CSV file, as text. */
async function rowsOf(file: string): Promise<Record<string, string | null>[]> {
  return withDatabase((db) =>
    db.rows(
      `SELECT * FROM read_csv(${literal(join(out, file))}, all_varchar = true)`,
      z.record(z.string(), z.string().nullable()),
    ),
  );
}

function sumBy(
  rows: readonly Record<string, string | null>[],
  key: (row: Record<string, string | null>) => string,
  value: (row: Record<string, string | null>) => bigint,
): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const row of rows) sums.set(key(row), (sums.get(key(row)) ?? 0n) + value(row));
  return sums;
}

describe("journal.csv", () => {
  it("has debits equal to credits in every entry and for every currency", async () => {
    const rows = await rowsOf("journal.csv");
    const balance = (row: Record<string, string | null>) =>
      cents(row["debit"] ?? null) - cents(row["credit"] ?? null);
    const entries = sumBy(rows, (row) => `${row["entry"]} ${row["currency"]}`, balance);
    expect(entries.size).toBeGreaterThan(300);
    expect([...entries.values()].filter((sum) => sum !== 0n)).toEqual([]);
    expect(new Set([...entries.keys()].map((key) => key.split(" ")[0])).size).toBe(entries.size);
    expect([...new Set(rows.map((row) => row["currency"]))].sort()).toEqual(["EUR", "USD"]);
    for (const row of rows) expect((row["debit"] === null) !== (row["credit"] === null)).toBe(true);
  });

  it("moves deferred revenue from the opening to the closing, and books what the page shows", async () => {
    const rows = await rowsOf("journal.csv");
    const name = (row: Record<string, string | null>) =>
      `${row["ledger_account"]} ${row["currency"]}`;
    const sums = sumBy(
      rows,
      name,
      (row) => cents(row["credit"] ?? null) - cents(row["debit"] ?? null),
    );
    const { rollforward = [], revenue = [] } = report.money ?? {};
    const paid = rollforward.filter(({ currency }) => currency !== "");
    expect(paid).toHaveLength(2);
    for (const row of paid) {
      const { currency } = row;
      const moved = cents(row.closing_net) - cents(row.opening_net);
      expect(sums.get(`3900 ${currency}`)).toBe(moved);
      const microblog = revenue.filter(
        (one) => one.service === "microblog" && one.currency === currency,
      );
      const booked = microblog.reduce((sum, { net }) => sum + cents(net), 0n);
      expect(sums.get(`4401 ${currency}`)).toBe(booked);
      const used = (sums.get(`4400 ${currency}`) ?? 0n) + booked;
      expect(used).toBe(cents(row.used_net));
      expect(sums.get(`4830 ${currency}`) ?? 0n).toBe(cents(row.adjusted_net));
    }
  });
});

/** The lines of every statement, by account. */
async function allStatements() {
  const rows = await withDatabase((db) =>
    db.rows(
      `SELECT * REPLACE (parse_filename(filename, true) AS filename)
       FROM read_csv(${literal(join(out, "statements", "*.csv"))}, all_varchar = true, filename = true)`,
      z.record(z.string(), z.string().nullable()),
    ),
  );
  return Map.groupBy(rows, (row) => `${row["filename"]}`);
}

describe("a statement", () => {
  it("is written for every customer of the month, as a page and as CSV", async () => {
    const names = await readdir(join(out, "statements"));
    const balances = await rowsOf("balances.csv");
    expect(names.toSorted()).toEqual(
      balances.flatMap(({ account }) => [`${account}.csv`, `${account}.html`]).sort(),
    );
  });

  it("adds up from the opening to the closing balance, and all of them to the totals", async () => {
    let charged = 0;
    let gross = 0n;
    const statements = await allStatements();
    for (const balance of await rowsOf("balances.csv")) {
      const rows = statements.get(`${balance["account"]}`) ?? [];
      const [first, last] = [rows[0], rows.at(-1)];
      const moved = rows.reduce((sum, row) => sum + Number(row["credits"] ?? 0), 0);
      expect([first?.["type"], last?.["type"]]).toEqual(["opening", "closing"]);
      expect(first?.["balance"]).toBe(balance["opening"]);
      expect(last?.["balance"]).toBe(balance["closing"]);
      expect(Number(first?.["balance"]) + moved).toBe(Number(last?.["balance"]));
      const usage = rows.filter(({ type }) => type === "usage");
      charged -= usage.reduce((sum, row) => sum + Number(row["credits"]), 0);
      const bought = rows.filter(({ type }) => type === "purchase");
      gross += bought.reduce((sum, row) => sum + cents(row["gross"] ?? null), 0n);
    }
    expect(charged).toBe(report.totals.charged);
    const sold = report.money?.sales.reduce((sum, row) => sum + cents(row.gross), 0n);
    expect(gross).toBe(sold);
  }, 180_000);

  it("is written for --account alone, and not for an account that is unknown", async () => {
    const { month } = report;
    const alone = join(home.folder, "alone");
    await withDatabase(async (db) => {
      const inputs = { folders: [to], month, macs: null, prices: null, emails: null };
      const made = take(await makeReport(db, inputs, () => {}));
      const outputs = { report: made.report, folder: alone, statements: false, pricesFile: null };
      take(await writeResults(db, { ...outputs, accounts: [customer] }, () => {}));
      const unknown = await writeResults(db, { ...outputs, accounts: ["acct_x"] }, () => {});
      expect(unknown).toMatchObject({
        ok: false,
        problem: expect.stringContaining("in no export"),
      });
    });
    expect((await readdir(join(alone, "statements"))).sort()).toEqual([
      `${customer}.csv`,
      `${customer}.html`,
    ]);
    const page = await readFile(join(alone, "statements", `${customer}.html`), "utf8");
    expect(page).not.toContain("Gross");
    expect(page).not.toContain("@example.com");
    expect(await readdir(alone)).not.toContain("journal.csv");
  }, 180_000);
});

describe("emails", () => {
  it("stand beside each account, as text that no spreadsheet takes for a formula", async () => {
    const shown = /^'=customer\d+@example\.com$/;
    for (const file of ["balances.csv", "credits.csv", "usage.csv", "deferred.csv"]) {
      const rows = await rowsOf(file);
      expect(rows.length).toBeGreaterThan(50);
      for (const { email } of rows) expect(email).toMatch(shown);
      const own = rows.filter(({ account }) => account === customer);
      for (const { email } of own) expect(email).toBe("'=customer0@example.com");
    }
    const journal = await rowsOf("journal.csv");
    for (const row of journal.filter((one) => one["customer"] !== null)) {
      expect(row["email"]).toMatch(shown);
    }
    const page = await readFile(join(out, "statements", `${customer}.html`), "utf8");
    expect(page).toContain("=customer0@example.com");
    expect(await readFile(join(out, "report.html"), "utf8")).toContain("@example.com");
  });
});

describe.runIf(hasBrowser)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  }, 180_000);
  afterAll(() => browser.close());

  const forms = [
    { form: "light", colorScheme: "light", width: 1200, media: "screen" },
    { form: "dark", colorScheme: "dark", width: 1200, media: "screen" },
    { form: "a phone", colorScheme: "dark", width: 360, media: "screen" },
    { form: "A4", colorScheme: "dark", width: 690, media: "print" },
  ] as const;
  const files = ["report.html", "statement"] as const;

  it.each(files.flatMap((file) => forms.map((one) => ({ file, ...one }))))(
    "$file on $form: nothing is too wide, axe finds nothing, and nothing complains",
    async ({ file, colorScheme, width, media }) => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 980 } });
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      const path = file === "statement" ? `statements/${customer}.html` : file;
      await page.goto(`file://${join(out, path)}`);
      await page.emulateMedia({ media });
      const wider = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(wider).toBe(0);
      await page.addScriptTag({ path: AXE });
      const found = z
        .object({ violations: z.array(z.object({ id: z.string(), help: z.string() })) })
        .parse(await page.evaluate("axe.run()"));
      expect(found.violations).toEqual([]);
      expect(complaints).toEqual([]);
      const dark = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      const isDark = colorScheme === "dark" && media === "screen";
      expect(dark).toBe(isDark ? "rgb(23, 24, 27)" : "rgb(255, 255, 255)");
      const drawn = await page.locator("figure svg:visible").count();
      expect(drawn).toBe(await page.locator("figure").count());
      await page.close();
    },
    60_000,
  );

  it("shows revenue that adds up to the deferred revenue's", async () => {
    const page = await browser.newPage();
    await page.goto(`file://${join(out, "report.html")}`);
    const texts = await page
      .locator("#revenue-EUR table")
      .first()
      .locator("tbody td:last-child")
      .allInnerTexts();
    const days = texts.reduce((sum, text) => sum + cents(text.replaceAll(",", "")), 0n);
    const row = report.money?.rollforward.find(({ currency }) => currency === "EUR");
    expect(days).toBe(cents(row?.used_net ?? null));
    expect(await page.locator("#aging table tbody tr").count()).toBe(report.money?.aging.length);
    expect(count.parse(await page.locator("#reconciled tbody tr").count())).toBe(6);
    await page.close();
  });
});
