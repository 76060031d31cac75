import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { decimalOf, minorOf, placesOf } from "../../../infra/finance/money/amount.ts";
import { type Moved, replay } from "../../../infra/finance/money/order.ts";
import { parsePrices, readPrices } from "../../../infra/finance/money/prices.ts";
import { take } from "../../../infra/terminal/answer.ts";

const EXAMPLE = "infra/finance/money/prices.example.toml";
const example = await readFile(EXAMPLE, "utf8");

const parsed = (text: string) => parsePrices("p.toml", text);
const changed = (from: string, to: string) => parsed(example.replace(from, to));

describe("the example of a file of prices", () => {
  it("is read as its comments say", async () => {
    const { list, usedFirst, accounts } = take(await readPrices(EXAMPLE));
    expect(usedFirst).toBe("granted");
    expect(accounts).toMatchObject({ receivable: "1200", services: { microblog: "4401" } });
    expect(
      list.map(({ name, credits, net, tax, currency }) => [name, credits, net, tax, currency]),
    ).toEqual([
      ["Standard", 500, 4500n, 855n, "EUR"],
      ["Large", 10_000, 67_143n, 12_757n, "EUR"],
      ["Standard US", 500, 4900n, 0n, "USD"],
      ["INV-2026-0017", 120_000, 699_000n, 132_810n, "EUR"],
    ]);
    expect(list[1]).toMatchObject({
      fromMs: Date.UTC(2026, 0, 1),
      untilMs: Date.UTC(2027, 0, 1),
      several: false,
    });
    expect(list[3]).toMatchObject({ reference: "INV-2026-0017" });
  });
});

describe("a file of prices is refused, with place and rule,", () => {
  it.each([
    ['net = "45.00"', "net = 45.00", "pack 1 net: must be text"],
    ['net = "45.00"', 'net = "45,00"', 'pack 1 net: must be an amount such as "45.00"'],
    ['net = "45.00"', 'net = "45.005"', "Standard: give either net or gross, with at most 2"],
    ['net = "45.00"', 'net = "45.00"\ngross = "53.55"', "Standard: give either net or gross"],
    ['net = "45.00"', "", "Standard: give either net or gross"],
    ["credits = 500", "credits = 0", "pack 1 credits:"],
    ['currency = "EUR"', 'currency = "EUX"', "Standard: EUX is no currency of ISO 4217"],
    ["until = 2026-12-31", "until = 2025-12-31", "Large: until is before from"],
    ["until = 2026-12-31", 'until = "2026-12-31"', "pack 2 until: must be a day such as"],
    ['used_first = "granted"', 'used_first = "oldest"', 'used_first: must be "granted"'],
    [
      'receivable = "1200"',
      "receivable = 1200",
      "accounts receivable: must be an account's number",
    ],
    ['reference = "US-"', "", "Standard and Standard US are both of 500 credits on the same days"],
    ["several = true", "sevral = true", "sevral"],
    ["[accounts]", "[accounts", "p.toml, line"],
  ])("where %j became %j", (from, to, words) => {
    const refused = changed(from, to);
    expect(refused).toMatchObject({ ok: false, problem: expect.stringContaining(words) });
  });

  it("where it is missing", async () => {
    expect(await readPrices("nowhere.toml")).toMatchObject({
      ok: false,
      problem: expect.stringContaining("nowhere.toml: there is no such file"),
    });
  });
});

describe("amounts", () => {
  it.each([
    ["EUR", "1234.5", 123_450n, "1234.50"],
    ["JPY", "5000", 5_000n, "5000"],
    ["KWD", "0.005", 5n, "0.005"],
  ])("of %s are whole minor units", (currency, text, minor, shown) => {
    const places = placesOf(currency) ?? 9;
    expect(minorOf(text, places)).toBe(minor);
    expect(decimalOf(minor, places)).toBe(shown);
    expect(decimalOf(-minor, places)).toBe(`-${shown}`);
  });

  it("with more places than the currency has are none", () => {
    expect(minorOf("1.001", 2)).toBeNull();
    expect(minorOf("1.5", 0)).toBeNull();
    expect(minorOf("1e3", 2)).toBeNull();
    expect(minorOf("-1", 2)).toBeNull();
  });
});

describe("the order of use", () => {
  const moved = (
    kind: Moved["kind"],
    credits: number,
    usedBefore: number,
    refunds: string | null = null,
  ): Moved => ({ kind, reference: `${kind}${credits}`, credits, usedBefore, refunds });

  it("lets a refund take no more than what is unused of its purchase; the rest comes from the others", () => {
    const back = moved("adjustment", -80, 60, "purchase100");
    const all = [moved("purchase", 100, 0), moved("purchase", 50, 0), back];
    const { own, purchases } = replay(all, 60, "granted");
    expect(own.get(back)).toBe(40);
    expect(purchases.get("purchase100")?.left).toBe(0);
    expect(purchases.get("purchase50")?.left).toBe(10);
  });

  it("does not let a later grant pay for what was used before it", () => {
    const all = [moved("purchase", 100, 0), moved("grant", 100, 30)];
    expect(replay(all, 90, "granted").purchases.get("purchase100")?.left).toBe(70);
    expect(replay(all, 90, "purchased").purchases.get("purchase100")?.left).toBe(10);
  });
});
