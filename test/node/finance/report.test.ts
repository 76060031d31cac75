import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { accountsNeeded, generate } from "../../../infra/finance/generate/generate.ts";
import { literal } from "../../../infra/finance/load/database.ts";
import { reconcile } from "../../../infra/finance/prove/reconcile.ts";
import { periodOf } from "../../../infra/finance/read/period.ts";
import { collect, type Report } from "../../../infra/finance/report/collect.ts";
import { writeFiles } from "../../../infra/finance/report/write-files.ts";
import { makeFolder, withDatabase } from "./exports.ts";

const CHROMIUM = "/usr/bin/chromium";
const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) console.warn(`No ${CHROMIUM}: report.html is not tested in a browser.`);

let home: Awaited<ReturnType<typeof makeFolder>>;
let out: string;
let report: Report;

beforeAll(async () => {
  home = await makeFolder();
  const to = join(home.folder, "month");
  out = join(home.folder, "out");
  const wanted = { records: 1_800, accounts: accountsNeeded(1), seed: 8, faults: 1, to };
  const { month } = await generate(wanted);
  report = await withDatabase(async (db) => {
    const reconciled = await reconcile(
      db,
      { folders: [to], period: periodOf(month), macs: null },
      () => {},
    );
    if (!reconciled.ok) throw new Error(reconciled.problem);
    const collected = await collect(db, reconciled.value, periodOf(month));
    await writeFiles(db, collected, out, () => {});
    return collected;
  });
}, 180_000);
afterAll(() => home.remove());

const count = z.coerce.number();

/** Runs a query on one of the written files. */
function ask<T extends z.ZodRawShape>(file: string, select: string, shape: T) {
  const path = literal(join(out, file));
  return withDatabase((db) => db.rows(`SELECT ${select} FROM ${path}`, z.object(shape)));
}

describe("the written files", () => {
  it.each(["usage", "credits", "balances", "discrepancies"])(
    "%s says the same as CSV and as Parquet",
    async (table) => {
      const [csv, parquet] = [`${table}.csv`, `${table}.parquet`].map((name) =>
        literal(join(out, name)),
      );
      const names = await withDatabase(async (db) => {
        const text = (from: string | undefined) =>
          `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ${from}`;
        const csvText = `SELECT * FROM read_csv(${csv}, all_varchar = true)`;
        const different = await db.rows(
          `SELECT count(*) AS rows FROM ((${csvText} EXCEPT ALL ${text(parquet)})
           UNION ALL (${text(parquet)} EXCEPT ALL ${csvText}))`,
          z.object({ rows: count }),
        );
        const all = await db.rows(
          `SELECT count(*) AS rows FROM ${parquet}`,
          z.object({ rows: count }),
        );
        return { different: different[0]?.rows, all: all[0]?.rows };
      });
      expect(names.different).toBe(0);
      expect(names.all).toBeGreaterThan(20);
    },
  );

  it("add up to the report's totals", async () => {
    const { totals } = report;
    const sums = "count(*) AS requests, sum(charge) AS charged, sum(item_count) AS items";
    const shape = { requests: count, charged: count, items: count };
    expect(await ask("usage.csv", sums, shape)).toEqual([
      { requests: totals.requests, charged: totals.usage_charged, items: totals.items },
    ]);
    const moved = "sum(closing) AS closing, sum(charged) AS charged, count(*) AS accounts";
    expect(
      await ask("balances.csv", moved, { closing: count, charged: count, accounts: count }),
    ).toEqual([{ closing: totals.closing, charged: totals.charged, accounts: totals.accounts }]);
    expect(await ask("discrepancies.csv", "count(*) AS found", { found: count })).toEqual([
      { found: report.discrepancies },
    ]);
  });

  it("tell requests under an Idempotency-Key from others, and their attempts per key", async () => {
    const { totals, keys } = report;
    const counts = "count(idempotency_key) AS keyed, count(*) AS requests";
    const [usage] = await ask("usage.csv", counts, { keyed: count, requests: count });
    expect(usage).toEqual({ keyed: totals.keyed, requests: totals.requests });
    expect(totals.keyed).toBeGreaterThan(100);
    expect(totals.keyed).toBeLessThan(totals.requests);
    const attempts = keys.reduce((sum, row) => sum + row.attempts * row.keys, 0);
    expect(attempts).toBe(totals.keyed);
    const distinct = "count(DISTINCT account || idempotency_key) AS keys";
    const [different] = await ask("usage.parquet", distinct, { keys: count });
    expect(different?.keys).toBe(keys.reduce((sum, row) => sum + row.keys, 0));
    expect(keys.map(({ attempts: number }) => number)).toContain(3);
  });

  it("hold nothing that a spreadsheet takes for a formula", async () => {
    const guarded = await withDatabase(async (db) => {
      await db.run((await readFile("infra/finance/sql/load/prepare.sql", "utf8")).toString());
      const text = `SELECT guard(x) AS x FROM (VALUES ('=1+1'), ('@x'), ('-2'), ('INV-1')) v(x)`;
      return db.rows(text, z.object({ x: z.string() }));
    });
    expect(guarded.map(({ x }) => x)).toEqual(["'=1+1", "'@x", "'-2", "INV-1"]);
  });

  it("tell machines the same in summary.json", async () => {
    expect(JSON.parse(await readFile(join(out, "summary.json"), "utf8"))).toEqual(report);
  });
});

describe.runIf(hasBrowser)("report.html in a browser", () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    page = await browser.newPage();
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`file://${join(out, "report.html")}`);
  }, 60_000);
  afterAll(() => browser.close());

  it("shows without a complaint and asks nobody for anything", async () => {
    expect(await page.title()).toBe("Credits in October 2026");
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith("data:"))).toHaveLength(1);
    expect(await page.locator("script").count()).toBe(0);
  });

  it("shows the totals of the CSV files", async () => {
    const [usage] = await ask("usage.csv", "count(*) AS n, sum(charge) AS credits", {
      n: count,
      credits: count,
    });
    const tile = (name: string) =>
      page.locator("dl.totals div", { hasText: name }).locator("dd").innerText();
    expect(await tile("Requests")).toBe(usage?.n.toLocaleString("en-US"));
    expect(await tile("Credits charged")).toBe(usage?.credits.toLocaleString("en-US"));
    const days = await figuresOf("#days table tbody tr", "td:last-child");
    expect(days.reduce((sum, value) => sum + value, 0)).toBe(usage?.credits);
    const outcomes = await figuresOf("#outcomes table tbody tr", "td:nth-child(2)");
    expect(outcomes.reduce((sum, value) => sum + value, 0)).toBe(usage?.n);
  });

  it("shows the attempts per Idempotency-Key", async () => {
    const keys = await figuresOf("#keys table tbody tr", "td:nth-child(2)");
    expect(keys).toEqual(report.keys.map((row) => row.keys));
  });

  it("lists the discrepancies", async () => {
    const rows = page.locator("#discrepancies table").nth(1).locator("tbody tr");
    expect(await rows.count()).toBe(report.findings.length);
    expect(await rows.first().innerText()).toContain(report.findings[0]?.account);
  });

  it("can be heard: every chart has a name and a table beside it, every table a caption", async () => {
    const figures = page.getByRole("img");
    expect(await figures.count()).toBe(4);
    for (const figure of await figures.all()) {
      expect(await figure.getAttribute("aria-label")).toMatch(/the table below has the numbers$/);
    }
    const tables = await page.locator("table").count();
    expect(await page.locator("table > caption").count()).toBe(tables);
    expect(await page.locator("th:not([scope])").count()).toBe(0);
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
  });

  it("can be printed: nothing is wider than the paper", async () => {
    await page.setViewportSize({ width: 690, height: 980 });
    await page.emulateMedia({ media: "print" });
    const wide = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect(wide).toBe(0);
  });

  async function figuresOf(rows: string, cell: string): Promise<number[]> {
    const texts = await page.locator(rows).locator(cell).allInnerTexts();
    return texts.map((text) => Number(text.replaceAll(",", "")));
  }
});
