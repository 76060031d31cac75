import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as z from "zod";

/**
 * The month's money, computed once more: from the raw lines of an export, one account and one use of
 * credits after the other, in plain code that shares nothing with the queries.
 */

const text = z.object({ S: z.string() }).transform(({ S }) => S);
const integer = z.object({ N: z.string() }).transform(({ N }) => Number(N));
const entries = z.object({ M: z.record(z.string(), z.object({ M: z.object({ nonce: text }) })) });

const accountSchema = z.object({ account: text, holds: entries, pending: entries });
const usageSchema = z.object({
  kind: z.object({ S: z.literal("usage") }),
  account: text,
  record_id: text,
  nonce: text,
  service: z.union([text, z.object({ NULL: z.literal(true) }).transform(() => null)]),
  charge: integer,
  settled_at: text,
});
const topUpSchema = z.object({
  kind: text,
  account: text,
  record_id: text,
  nonce: text,
  reference: text,
  refunds: text.optional(),
  reason: text.optional(),
  credits: integer,
  created_at: text,
});

export interface OraclePack {
  readonly beginning: string;
  readonly credits: number;
  readonly net: bigint;
  readonly tax: bigint;
  readonly currency: string;
}

interface Lot {
  readonly class: "granted" | "purchased";
  readonly reference: string;
  readonly credits: number;
  readonly net: bigint;
  readonly tax: bigint;
  readonly currency: string;
  /** Used from the front, refunded from the back. */
  used: number;
  refunded: number;
  /** Credits for which money went back. */
  paidBack: number;
}

/** Sums in minor units, under names such as `used_net purchased EUR`. Zero sums are left out. */
export type Sums = Map<string, bigint>;

interface Event {
  readonly atMs: number;
  /** Movements come before uses of the same millisecond. */
  readonly order: string;
  readonly run: (book: Book) => void;
}

interface Book {
  readonly lots: Lot[];
  readonly sums: Sums;
  readonly first: Lot["class"];
}

export interface Question {
  readonly folder: string;
  readonly month: string;
  readonly packs: readonly OraclePack[];
  readonly first: Lot["class"];
}

export async function computeMoney(question: Question): Promise<Sums> {
  const { monthMs } = frameOf(question.month);
  const sums: Sums = new Map();
  for (const events of (await readEvents(question)).values()) {
    const book: Book = { lots: [], sums, first: question.first };
    const inOrder = events.toSorted((a, b) => a.atMs - b.atMs || (a.order < b.order ? -1 : 1));
    for (const { run } of inOrder.filter(({ atMs }) => atMs < monthMs)) run(book);
    state(book, "opening");
    for (const { run } of inOrder.filter(({ atMs }) => atMs >= monthMs)) run(book);
    state(book, "closing");
  }
  for (const [name, value] of sums) if (value === 0n) sums.delete(name);
  return sums;
}

function frameOf(month: string) {
  const begin = new Date(`${month}-01T00:00:00Z`);
  const endMs = Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1);
  return { monthMs: begin.getTime(), endMs };
}

/** What happened on each account. */
async function readEvents({ folder, month, packs }: Question): Promise<Map<string, Event[]>> {
  const { accounts, ledger } = await readExport(folder);
  const events = new Map<string, Event[]>();
  for (const item of ledger) {
    const { account } = z.object({ account: text }).parse(item);
    const underWay = accounts.get(account);
    if (underWay === undefined) throw new Error(`no account ${account}`);
    const usage = usageSchema.safeParse(item);
    const frame = frameOf(month);
    const event = usage.success
      ? usageEvent(usage.data, { ...frame, open: underWay.holds })
      : topUpEvent(topUpSchema.parse(item), { ...frame, open: underWay.pending, packs });
    if (event !== null) events.set(account, [...(events.get(account) ?? []), event]);
  }
  return events;
}

async function readExport(folder: string) {
  const accounts = new Map<string, { holds: Map<string, string>; pending: Map<string, string> }>();
  const ledger: unknown[] = [];
  for (const item of await readItems(folder)) {
    const account = accountSchema.safeParse(item);
    if (!account.success) {
      ledger.push(item);
      continue;
    }
    const nonces = (map: z.infer<typeof entries>) =>
      new Map(Object.entries(map.M).map(([id, { M }]) => [id, M.nonce]));
    const { account: name, holds, pending } = account.data;
    accounts.set(name, { holds: nonces(holds), pending: nonces(pending) });
  }
  return { accounts, ledger };
}

/** Every item of an export, of both tables. */
export async function readItems(folder: string): Promise<unknown[]> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith(".json.gz"));
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name))));
  return contents.flatMap((content) => {
    const lines = gunzipSync(content).toString("utf8").split("\n");
    const line = z.object({ Item: z.unknown() });
    return lines.filter((one) => one !== "").map((one) => line.parse(JSON.parse(one)).Item);
  });
}

interface Frame {
  readonly monthMs: number;
  readonly endMs: number;
  /** Nonces of what is under way, by id. */
  readonly open: ReadonlyMap<string, string>;
}

function usageEvent(item: z.infer<typeof usageSchema>, { monthMs, endMs, open }: Frame) {
  const { record_id: id, charge, nonce } = item;
  if (open.get(id) === nonce || charge === 0) return null;
  const startedMs = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  if (startedMs >= endMs) return null;
  const started = new Date(startedMs);
  const ownEndMs = Date.UTC(started.getUTCFullYear(), started.getUTCMonth() + 1) - 1;
  const cause = startedMs < monthMs ? null : "used";
  const day = started.toISOString().slice(0, 10);
  const run = (book: Book) =>
    take(book, charge, cause, cause === null ? null : `${day} ${item.service}`);
  return { atMs: Math.min(Date.parse(item.settled_at), ownEndMs), order: `1${id}`, run };
}

function topUpEvent(
  item: z.infer<typeof topUpSchema>,
  { monthMs, endMs, open, packs }: Frame & { packs: readonly OraclePack[] },
): Event | null {
  const atMs = Date.parse(item.created_at);
  if (open.get(item.record_id) === item.nonce || atMs >= endMs) return null;
  const counts = atMs >= monthMs;
  const run = (book: Book) => {
    if (item.refunds !== undefined) return refund(book, item, counts);
    if (item.credits < 0) return take(book, -item.credits, counts ? "adjusted" : null, null);
    return addLot(book, lotOf(item, packs), counts ? item.kind : null);
  };
  return { atMs, order: `0${item.record_id}`, run };
}

function lotOf(item: z.infer<typeof topUpSchema>, packs: readonly OraclePack[]): Lot {
  const { reference, credits } = item;
  const none = { used: 0, refunded: 0, paidBack: 0, reference, credits };
  if (item.kind !== "purchase") {
    return { ...none, class: "granted", net: 0n, tax: 0n, currency: "" };
  }
  const [pack] = packs
    .filter((one) => reference.startsWith(one.beginning) && credits % one.credits === 0)
    .sort((a, b) => b.beginning.length - a.beginning.length || b.credits - a.credits);
  if (pack === undefined) throw new Error(`no price for ${reference}`);
  const times = BigInt(credits / pack.credits);
  const { currency } = pack;
  return { ...none, class: "purchased", net: pack.net * times, tax: pack.tax * times, currency };
}

function addLot({ lots, sums }: Book, lot: Lot, kind: string | null): void {
  lots.push(lot);
  if (kind === null) return;
  add(sums, `${kind === "adjustment" ? "raised" : "added"}_credits`, lot, BigInt(lot.credits));
  add(sums, "sold_net", lot, lot.net);
  add(sums, "sold_tax", lot, lot.tax);
}

/** Takes credits one after the other from the oldest top-ups, those of the first class first. */
function take(book: Book, credits: number, cause: string | null, where: string | null): void {
  const ordered = book.lots.toSorted(
    (a, b) => Number(b.class === book.first) - Number(a.class === book.first),
  );
  let rest = credits;
  for (const lot of ordered) {
    const taken = Math.min(rest, lot.credits - lot.used - lot.refunded);
    const before = part(lot.net, lot.used, lot);
    lot.used += taken;
    rest -= taken;
    const net = part(lot.net, lot.used, lot) - before;
    if (cause !== null) {
      add(book.sums, `${cause}_credits`, lot, BigInt(taken));
      add(book.sums, `${cause}_net`, lot, net);
    }
    if (where !== null) {
      add(book.sums, `revenue_credits ${where}`, lot, BigInt(taken));
      add(book.sums, `revenue_net ${where}`, lot, net);
    }
  }
  if (rest > 0) throw new Error("more was used than there was");
}

function refund(book: Book, item: z.infer<typeof topUpSchema>, counts: boolean): void {
  const lot = book.lots.find((one) => one.reference === item.refunds);
  if (lot === undefined) throw new Error("no such purchase");
  const asked = -item.credits;
  const own = Math.min(asked, lot.credits - lot.used - lot.refunded);
  const kept = lot.credits - lot.refunded;
  lot.refunded += own;
  const deferred = part(lot.net, kept, lot) - part(lot.net, kept - own, lot);
  const upper = lot.credits - lot.paidBack;
  lot.paidBack = item.reason === "chargeback" ? lot.credits : lot.paidBack + asked;
  const lower = Math.max(0, lot.credits - lot.paidBack);
  if (counts) {
    const net = part(lot.net, upper, lot) - part(lot.net, lower, lot);
    const name = `${item.reason}`;
    add(book.sums, "refunded_credits", lot, BigInt(own));
    add(book.sums, "refunded_net", lot, deferred);
    add(book.sums, `${name} net`, lot, net);
    add(book.sums, `${name} tax`, lot, part(lot.tax, upper, lot) - part(lot.tax, lower, lot));
    add(book.sums, `${name} loss`, lot, net - deferred);
  }
  take(book, asked - own, counts ? "adjusted" : null, null);
}

/** What falls to the first credits of a top-up: the last credit takes the rest. */
function part(amount: bigint, credits: number, lot: Lot): bigint {
  return (amount * BigInt(credits)) / BigInt(lot.credits);
}

function state({ lots, sums }: Book, when: "opening" | "closing"): true {
  for (const lot of lots) {
    const kept = lot.credits - lot.refunded;
    add(sums, `${when}_credits`, lot, BigInt(kept - lot.used));
    add(sums, `${when}_net`, lot, part(lot.net, kept, lot) - part(lot.net, lot.used, lot));
  }
  return true;
}

function add(sums: Sums, name: string, lot: Lot, value: bigint): void {
  const key = `${name} ${lot.class}${lot.currency === "" ? "" : ` ${lot.currency}`}`;
  sums.set(key, (sums.get(key) ?? 0n) + value);
}
