import { SERVICES } from "../../src/contract/schemas.ts";
import { type Account, counterOf, expiredHolds, readAccount } from "../../src/credits/items.ts";
import { OPEN_HOLDS_MAX, SERVICE_OPEN_HOLDS_MAX } from "../../src/credits/limits.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Change } from "../support/memory-dynamodb/engine.ts";
import { ACCOUNTS, LEDGER } from "../support/memory-dynamodb/store.ts";
import type { Barred } from "./background.ts";
import type { Asked, Told } from "./client.ts";
import type { World } from "./world.ts";

/** The largest difference between two clocks. */
const SKEW_MAX_MS = 60_000;

interface UsageRecord {
  readonly account: string;
  readonly requestId: string;
  readonly nonce: string;
  readonly charge: number;
  readonly reserved: number;
  readonly itemCount: number;
  readonly multiplier: number | null;
  readonly outcome: string;
  readonly settledBy: string;
  /** The hash of the Idempotency-Key. Null without one, and where the sweep wrote the record. */
  readonly keyHash: string | null;
}

/** The store's history, and the invariants that it breaks. */
export interface History {
  readonly violations: string[];
  readonly records: ReadonlyMap<string, UsageRecord>;
  /** Every request id that ever had a hold, with its account. */
  readonly held: ReadonlyMap<string, string>;
}

/** Replays every write and checks every image that ever existed (invariants 1 to 7, and 16). */
export function checkHistory(world: Pick<World, "engine" | "changeTimesMs">): History {
  const book: Book = { records: new Map(), held: new Map(), expiryMs: new Map() };
  const timesMs = world.changeTimesMs();
  const violations: string[] = [];
  for (const [at, change] of world.engine.changes.entries()) {
    const atMs = timesMs[at] ?? 0;
    for (const broken of checkChange(change, book, atMs)) {
      violations.push(`${broken} (change ${at}, ${atMs - (timesMs[0] ?? 0)} ms)`);
    }
  }
  return { violations, ...book };
}

/** The state of the store after some change. */
interface Book {
  readonly records: Map<string, UsageRecord>;
  readonly held: Map<string, string>;
  /** By request id and nonce. */
  readonly expiryMs: Map<string, number>;
}

type Broken = Generator<string, void, undefined>;

function* checkChange({ table, before, after }: Change, book: Book, atMs: number): Broken {
  if (table === ACCOUNTS) yield* checkAccount(before, readAccount(after), book);
  if (table !== LEDGER) return;
  if (before !== null) yield `5: the record ${after["record_id"]?.S} was altered`;
  if (after["kind"]?.S !== "usage") return;
  const record = readUsage(after);
  const twin = paidTwin(record, book.records);
  if (twin !== null) yield `16: ${record.requestId} is charged again, after ${twin}`;
  book.records.set(record.requestId, record);
  yield* checkRecord(record);
  const expiresMs = book.expiryMs.get(`${record.requestId} ${record.nonce}`) ?? 0;
  const isEarly = record.settledBy === "sweep" && atMs < expiresMs - SKEW_MAX_MS;
  if (isEarly) yield `7: ${record.requestId} was swept early`;
}

/** A success that was charged under the same Idempotency-Key. A run is shorter than a day. */
function paidTwin(record: UsageRecord, records: Book["records"]): string | null {
  if (record.keyHash === null || record.outcome !== "OK") return null;
  for (const { account, keyHash, outcome, requestId } of records.values()) {
    const isSame = keyHash === record.keyHash && account === record.account;
    if (isSame && outcome === "OK") return requestId;
  }
  return null;
}

function* checkAccount(before: Item | null, account: Account, book: Book): Broken {
  for (const [requestId, hold] of account.holds) {
    book.held.set(requestId, account.account);
    book.expiryMs.set(`${requestId} ${hold.nonce}`, hold.expiresMs);
  }
  yield* checkBalances(account, book.records);
  for (const requestId of before === null ? [] : readAccount(before).holds.keys()) {
    const isUnrecorded = !account.holds.has(requestId) && !book.records.has(requestId);
    if (isUnrecorded) yield `5: the hold of ${requestId} went without a record`;
  }
}

function* checkBalances(account: Account, records: ReadonlyMap<string, UsageRecord>): Broken {
  const { available, held, charged, granted, holds } = account;
  if (available < 0) yield `1: available is ${available}`;
  if (available + held + charged !== granted) {
    yield `2: ${available} + ${held} + ${charged} is not ${granted}`;
  }
  let sum = 0;
  for (const { credits } of holds.values()) sum += credits;
  if (sum !== held) yield `3: held is ${held}, the holds are ${sum}`;
  yield* checkCounters(account);
  let charges = 0;
  for (const record of records.values()) {
    const isOpen = holds.get(record.requestId)?.nonce === record.nonce;
    if (record.account === account.account && !isOpen) charges += record.charge;
  }
  if (charges !== charged) yield `4: charged is ${charged}, the ledger says ${charges}`;
}

/** Each counter has the number of its service's holds, within the two caps. */
function* checkCounters({ account, holds, counters }: Account): Broken {
  const open = [...holds.values()].flatMap(({ service }) => service ?? []);
  for (const service of SERVICES) {
    const name = counterOf(service);
    const count = open.filter((other) => other === service).length;
    const counted = counters.get(name) ?? 0;
    if (counted !== count) yield `16: ${name} of ${account} is ${counted}, the holds are ${count}`;
    if (count > SERVICE_OPEN_HOLDS_MAX) yield `16: ${account} has ${count} holds of ${service}`;
  }
  if (holds.size > OPEN_HOLDS_MAX) yield `16: ${account} has ${holds.size} holds`;
}

function* checkRecord({
  requestId,
  charge,
  reserved,
  itemCount,
  multiplier,
  outcome,
}: UsageRecord): Broken {
  if (charge < 0 || charge > reserved) yield `6: ${requestId} charges ${charge} of ${reserved}`;
  if (charge !== itemCount * (multiplier ?? 0)) yield `6: ${requestId} charges ${charge} wrongly`;
  if (outcome !== "OK" && charge !== 0) yield `8: ${requestId} failed and charges ${charge}`;
}

function readUsage(item: Item): UsageRecord {
  const text = (name: string) => item[name]?.S ?? "";
  const number = (name: string) => Number(item[name]?.N ?? Number.NaN);
  return {
    account: text("account"),
    requestId: text("record_id"),
    nonce: text("nonce"),
    charge: number("charge"),
    reserved: number("reserved"),
    itemCount: number("item_count"),
    multiplier: item["multiplier"]?.NULL ? null : number("multiplier"),
    outcome: text("outcome"),
    settledBy: text("settled_by"),
    keyHash: item["idempotency_key"]?.S ?? null,
  };
}

/** Compares what the clients were told with what the ledger says (invariants 5, 8 to 10, 14, 15). */
export function checkTold(
  history: History,
  asked: readonly Asked[],
  barred: readonly Barred[],
): string[] {
  return asked.flatMap((request) => [
    ...checkOne(request, history, asked),
    ...barred.flatMap((bar) => [...checkBarred(request, bar, history)]),
  ]);
}

function* checkOne(request: Asked, { records, held }: History, asked: readonly Asked[]): Broken {
  const { requestId, told } = request;
  const record = records.get(requestId);
  if (request.thrown !== null) yield `${requestId} threw ${request.thrown}`;
  for (const what of request.outlived) yield `${requestId} was outlived by: ${what}`;
  if (request.upstreamWithoutHold) yield `10: ${requestId} asked upstream without a hold`;
  if (held.has(requestId) !== (record !== undefined)) yield `5: ${requestId} has no one record`;
  if (told === null) return;
  if (told.code === "OK") yield* checkSuccess(requestId, told, record);
  else if (record !== undefined && record.charge !== 0 && !isShared(request, asked)) {
    yield `9: ${requestId} was told ${told.code} and charged ${record.charge}`;
  }
  if (told.code === "INSUFFICIENT_CREDITS") yield* checkRefusal(request, records);
}

/** Whether another attempt under the same id was paid, or may have been: nobody knows its answer. */
function isShared(request: Asked, asked: readonly Asked[]): boolean {
  return asked.some(
    (other) =>
      other !== request &&
      other.requestId === request.requestId &&
      (other.told === null || other.told.code === "OK"),
  );
}

function* checkSuccess(
  requestId: string,
  told: Extract<Told, { code: "OK" }>,
  record: UsageRecord | undefined,
): Broken {
  const { credits, items, isReplay } = told;
  const isPaid = record?.outcome === "OK" && record.charge === credits;
  const isMeasured = isReplay ? items <= (record?.itemCount ?? 0) : items === record?.itemCount;
  if (isPaid && isMeasured) return;
  yield `9: ${requestId} was told ${told.credits}, the ledger says ${record?.charge}`;
}

/** Invariant 11: a 402 is right only if even the expired holds would not return enough. */
function* checkRefusal(request: Asked, records: History["records"]): Broken {
  if (request.refusal === null) return yield `11: ${request.requestId} got 402 for nothing`;
  const { available, holds } = readAccount(request.refusal.item);
  const { atMs } = request.refusal;
  let reachable = available;
  for (const [requestId, hold] of expiredHolds(holds, atMs)) {
    const record = records.get(requestId);
    reachable += hold.credits - (record?.nonce === hold.nonce ? record.charge : 0);
  }
  if (reachable >= request.credits) {
    yield `11: ${request.requestId} got 402 for ${request.credits} with ${reachable} in reach`;
  }
}

function* checkBarred(
  request: Asked,
  { customer, acknowledgedMs }: Barred,
  { held }: History,
): Broken {
  if (request.keyId !== customer.keyId || request.startedMs < acknowledgedMs) return;
  if (held.has(request.requestId)) yield `15: ${request.requestId} reserved on a barred key`;
  if (request.told?.code === "OK") yield `15: ${request.requestId} was served on a barred key`;
}

/** At the end there is no hold, and every movement has counted once (invariants 7 and 13). */
export function checkEnd(world: World, initial: ReadonlyMap<string, number>): string[] {
  const movements = world.engine.scan(LEDGER).filter((item) => item["kind"]?.S !== "usage");
  return world.engine.scan(ACCOUNTS).flatMap((item) => {
    const { account, granted, holds } = readAccount(item);
    const own = movements.filter((movement) => movement["account"]?.S === account);
    const added = own.reduce((sum, movement) => sum + Number(movement["credits"]?.N), 0);
    const broken: string[] = [];
    if (holds.size > 0) broken.push(`7: ${account} still has ${holds.size} holds`);
    if (granted !== (initial.get(account) ?? 0) + added) {
      broken.push(`13: ${account} was granted ${granted}, the ledger says ${added} more`);
    }
    if (Object.keys(item["pending"]?.M ?? {}).length > 0) broken.push(`13: ${account} has pending`);
    return broken;
  });
}
