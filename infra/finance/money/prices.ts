import { readFile, stat } from "node:fs/promises";
import { parse, TomlError } from "smol-toml";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import { divideHalfUp, minorOf, placesOf } from "./amount.ts";
import {
  type LedgerAccounts,
  type PackEntry,
  type PurchaseEntry,
  pricesFileSchema,
} from "./prices-file.ts";

/** What a purchase costs, in minor units of the currency. */
export interface Price {
  readonly name: string;
  readonly credits: number;
  readonly net: bigint;
  readonly tax: bigint;
  readonly currency: string;
  readonly places: number;
  readonly fromMs: number;
  /** The first millisecond after it. */
  readonly untilMs: number;
  /** How the reference of a purchase begins. */
  readonly beginning: string;
  /** The whole reference, of a price for one purchase. */
  readonly reference: string | null;
  /** Whether it can be bought several times at once. */
  readonly several: boolean;
}

/** A file of prices, read and checked. */
export interface Prices {
  readonly path: string;
  readonly usedFirst: "granted" | "purchased";
  readonly accounts: LedgerAccounts;
  readonly list: readonly Price[];
}

const SIZE_MAX_BYTES = 4 << 20;
const DAY_MS = 86_400_000;
const ALWAYS_MS = Date.UTC(9999, 0);
/** A tax rate has at most so many decimal places. */
const RATE_PLACES = 6;
const WHOLE = 100n * 10n ** BigInt(RATE_PLACES);

/** Reads the file of prices. A problem names the place in the file and the rule. */
export async function readPrices(path: string): Promise<Answer<Prices>> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile() || found.size > SIZE_MAX_BYTES) {
    return problem(`${path}: there is no such file of prices, or it has more than 4 MiB.`);
  }
  return parsePrices(path, await readFile(path, "utf8"));
}

export function parsePrices(path: string, text: string): Answer<Prices> {
  const toml = parseToml(path, text);
  if (!toml.ok) return toml;
  const read = pricesFileSchema.safeParse(toml.value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return problem(`${path}: ${placeOf(issue?.path ?? [])}: ${issue?.message}.`);
  }
  const list: Price[] = [];
  for (const entry of [...read.data.pack, ...read.data.purchase]) {
    const price = priceOf(entry);
    if (!price.ok) return problem(`${path}: ${price.problem}`);
    list.push(price.value);
  }
  const doubt = ambiguity(list);
  if (doubt !== null) return problem(`${path}: ${doubt}`);
  return answer({ path, usedFirst: read.data.used_first, accounts: read.data.accounts, list });
}

function parseToml(path: string, text: string): Answer<unknown> {
  try {
    return answer(parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ""] = error.message.split("\n");
    return problem(`${path}, line ${error.line}: ${first}.`);
  }
}

/** `pack 2, net` for people who count from one. */
function placeOf(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === "number" ? part + 1 : String(part)));
  return parts.length === 0 ? "the whole" : parts.join(" ");
}

function priceOf(entry: PackEntry | PurchaseEntry): Answer<Price> {
  const name = "name" in entry ? entry.name : entry.reference;
  const places = placesOf(entry.currency);
  if (places === null) return problem(`${name}: ${entry.currency} is no currency of ISO 4217.`);
  const amounts = amountsOf(entry, places);
  if (amounts === null) {
    return problem(
      `${name}: give either net or gross, with at most ${places} decimal places for ${entry.currency}.`,
    );
  }
  const { credits, currency } = entry;
  const base = { name, credits, ...amounts, currency, places };
  if (!("name" in entry)) {
    const always = { fromMs: 0, untilMs: ALWAYS_MS, beginning: "", several: false };
    return answer({ ...base, ...always, reference: entry.reference });
  }
  const untilMs = entry.until === undefined ? ALWAYS_MS : entry.until.getTime() + DAY_MS;
  const fromMs = entry.from.getTime();
  if (untilMs <= fromMs) return problem(`${name}: until is before from.`);
  const { several, reference: beginning = "" } = entry;
  return answer({ ...base, fromMs, untilMs, beginning, several, reference: null });
}

/** Net and tax. The tax, or the net amount of a gross one, is rounded to the nearest minor unit. */
function amountsOf({ net, gross, tax_percent }: PackEntry | PurchaseEntry, places: number) {
  const given = net ?? gross;
  if (given === undefined || (net !== undefined && gross !== undefined)) return null;
  const amount = minorOf(given, places);
  const rate = minorOf(tax_percent, RATE_PLACES);
  if (amount === null || rate === null) return null;
  if (net !== undefined) return { net: amount, tax: divideHalfUp(amount * rate, WHOLE) };
  const part = divideHalfUp(amount * WHOLE, WHOLE + rate);
  return { net: part, tax: amount - part };
}

/** Two prices of which a purchase could not tell which one is meant. */
function ambiguity(list: readonly Price[]): string | null {
  const groups = new Map<string, Price[]>();
  for (const price of list) {
    const key = JSON.stringify([price.credits, price.beginning, price.reference]);
    const group = groups.get(price.reference ?? key) ?? [];
    const twin = group.find(
      ({ fromMs, untilMs }) => price.fromMs < untilMs && fromMs < price.untilMs,
    );
    if (twin !== undefined) {
      return (
        `${twin.name} and ${price.name} are both of ${price.credits} credits on the same days. ` +
        "Give them other days or other beginnings of the reference."
      );
    }
    groups.set(price.reference ?? key, [...group, price]);
  }
  return null;
}
