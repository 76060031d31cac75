import { expect, it } from "vitest";
import { createRandom, type Random } from "../../../infra/finance/generate/random.ts";
import { topUp } from "../../../infra/ops/topup.ts";
import type { Hold } from "../../../src/credits/ledger.ts";
import { authenticator } from "../../../src/credits/record-mac.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import { attemptId, attemptPrefix } from "../../../src/idempotency/attempt-id.ts";
import { findAttempts } from "../../../src/idempotency/attempts.ts";
import type { Dynamo, Item } from "../../../src/store/dynamodb.ts";
import { addAccount, openLedger } from "./accounts.ts";
import type { Store } from "./stores.ts";

/** Sends every call to both stores and fails if their answers differ. */
function mirrored(one: Dynamo, other: Dynamo): Dynamo {
  const both =
    <A, R extends { outcome: string }>(call: (dynamo: Dynamo) => (request: A) => Promise<R>) =>
    async (request: A): Promise<R> => {
      const [answer, twin] = await Promise.all([call(one)(request), call(other)(request)]);
      // Each engine has its own names for errors.
      const isSame = answer.outcome === "unknown" && twin.outcome === "unknown";
      if (!isSame) expect(twin, JSON.stringify(request)).toEqual(answer);
      return answer;
    };
  return {
    read: both((dynamo) => dynamo.read),
    put: both((dynamo) => dynamo.put),
    update: both((dynamo) => withoutHolds(dynamo)),
    query: both((dynamo) => firstPage(dynamo)),
  };
}

const KEY_HASH = "0123456789abcdef";
const DAY_MS = Date.UTC(2026, 9, 31);

/** Engines differ in whether they return all holds or the changed one; nobody reads them there. */
function withoutHolds({ update }: Dynamo): Dynamo["update"] {
  return async (request) => {
    const write = await update(request);
    if (write.outcome !== "written") return write;
    const { holds: _, ...attributes } = write.attributes;
    return { ...write, attributes };
  };
}

/** Engines differ in whether a page that is full at its end names the next one; nobody asks for it. */
function firstPage({ query }: Dynamo): Dynamo["query"] {
  return async (request) => {
    const page = await query(request);
    return page.outcome === "read" && request.Limit === 1 ? { ...page, next: null } : page;
  };
}

/** One random use of the protocol. It need not make sense. */
async function act(store: Store, random: Random, known: { holds: Hold[]; accounts: string[] }) {
  const ledger = openLedger(store, () => random.pick([0, 0, 0, 300_000]));
  const [first = "", second = ""] = known.accounts;
  const account = random.pick([first, first, second, "acct_nobody"]);
  const requestId = attemptId(attemptPrefix(DAY_MS, KEY_HASH), random.between(0, 9));
  const hold = random.pick([known.holds.at(-1), known.holds.at(-2), known.holds.at(0)]);
  const credits = random.between(1, 30);
  const service = random.pick(["photo-feed", "microblog"] as const);
  const settled = { keyId: "key_1", service: "microblog", multiplier: 1 } as const;
  const outcome = random.pick(["OK", "MEDIA_NOT_FOUND"] as const);
  const itemCount = outcome === "OK" ? random.between(0, hold?.credits ?? 0) : 0;
  const movement = { kind: random.pick(["grant", "purchase", "adjustment"] as const), credits };
  const signed = movement.kind === "adjustment" ? -credits : credits;
  const reference = `r${random.between(0, 5)}`;
  const books = {
    ...store.tables,
    dynamo: store.dynamo,
    now: Date.now,
    authenticate: authenticator(null),
  };
  await random.pick<() => Promise<unknown>>([
    async () => {
      const answer = await reserve(ledger, { account, requestId, service, credits });
      if (answer.ok) known.holds.push(answer.value);
    },
    async () => hold && settle(ledger, hold, { ...settled, outcome, itemCount }),
    async () => hold && release(ledger, hold, random.between(0, hold.credits)),
    async () => sweep(ledger),
    async () => findAttempts(ledger, { account, keyHash: KEY_HASH }, [DAY_MS]),
    async () => topUp(books, { ...movement, account, credits: signed, reference }),
  ])();
}

/** The in-memory engine answers as a real one does, over random uses of the protocol. */
export function differentialSuite(name: string, open: () => Promise<[Store, Store]>): void {
  it(`answers as ${name} does, call by call, and ends with the same items`, async () => {
    const [one, other] = await open();
    const store = { ...one, dynamo: mirrored(one.dynamo, other.dynamo) };
    for (let seed = 1; seed <= 8; seed++) {
      const random = createRandom(seed);
      const known = {
        holds: [],
        accounts: [await addAccount(store, 60), await addAccount(store, 20)],
      };
      for (let step = 0; step < 60; step++) await act(store, random, known);
    }
    const { accounts, apiKeys, ledger } = one.tables;
    for (const table of [accounts, apiKeys, ledger]) {
      const [items, twins] = await Promise.all([one.scan(table), other.scan(table)]);
      expect(sorted(twins)).toEqual(sorted(items));
    }
  }, 60_000);
}

function sorted(items: readonly Item[]): Item[] {
  const key = (item: Item) => JSON.stringify([item["account"], item["record_id"]]);
  return items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
