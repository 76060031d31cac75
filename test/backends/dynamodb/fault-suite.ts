import { v7 as uuidv7 } from "uuid";
import { expect, it } from "vitest";
import { createRandom, type Random } from "../../../infra/finance/generate/random.ts";
import { topUp } from "../../../infra/ops/topup.ts";
import type { Ledger } from "../../../src/credits/ledger.ts";
import { authenticator } from "../../../src/credits/record-mac.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import { addAccount, balancesOf, openLedger } from "./accounts.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { remoteStore, type Store } from "./stores.ts";

/** More of them would wait for each other in the engine, and be given up without any fault. */
const AT_ONCE = 8;
const CREDITS = 2_000;
/** The client gives a call up after this time. A delayed write lands later. */
const PATIENCE_MS = 300;
const DELAY_MS = { least: 400, most: 1_500 };
const FIVE_MINUTES_MS = 300_000;

/** What a client was told: the charge, 0 for an error, null for no answer. */
interface Told {
  readonly requestId: string;
  readonly charge: number | null;
}

/** How much is sent through a faulty wire. */
export interface FaultyTraffic {
  /** Each with its own seed, from 1 on. */
  readonly runs: number;
  readonly requests: number;
}

export function faultSuite(endpoint: () => string, { runs, requests }: FaultyTraffic): void {
  it.each(Array.from({ length: runs }, (_, nth) => nth + 1))(
    `${requests} requests through a faulty wire are exact to the credit, run %d`,
    async (seed) => {
      const random = createRandom(seed);
      const proxy = await startFaultProxy({
        target: endpoint(),
        random,
        probability: 0.2,
        delayMs: DELAY_MS,
      });
      const direct = await remoteStore(endpoint());
      const faulty = await remoteStore(proxy.endpoint, { timeoutMs: PATIENCE_MS });
      const account = await addAccount(direct, CREDITS);

      const told = await traffic(requests, openLedger(faulty), { account, random });
      const added = await purchases(faulty, account);
      await proxy.calm();
      await sweepAll(direct);
      await proxy.stop();

      expect(told).toHaveLength(requests);
      for (const kind of ["reset", "lost reply", "delayed write", "Throttling", "InternalServer"]) {
        expect([...proxy.faults.keys()].some((fault) => fault.startsWith(kind))).toBe(true);
      }
      await expectExact(direct, account, { told, granted: CREDITS + added });
    },
    60_000,
  );
}

async function traffic(
  requests: number,
  ledger: Ledger,
  { account, random }: { account: string; random: Random },
): Promise<Told[]> {
  const told: Told[] = [];
  const worker = async () => {
    while (told.length + underWay < requests) {
      underWay++;
      const one = await request(ledger, account, random);
      underWay--;
      told.push(one);
      // Sometimes the sweep takes every hold for expired, as if clocks differed beyond all bounds.
      if (told.length % 100 === 0) {
        await sweep({ ...ledger, now: () => Date.now() + FIVE_MINUTES_MS }).catch(() => {});
      }
    }
  };
  let underWay = 0;
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return told;
}

/** One request's path through the ledger. Some requests die on the way and get no answer. */
async function request(ledger: Ledger, account: string, random: Random): Promise<Told> {
  const requestId = uuidv7();
  const credits = random.between(1, 20);
  const silent = { requestId, charge: null };
  const hold = await reserve(ledger, { account, requestId, service: "microblog", credits });
  if (!hold.ok) return { requestId, charge: 0 };
  if (random.chance(0.05)) return silent;
  const itemCount = random.chance(0.2) ? 0 : random.between(1, credits);
  const outcome = itemCount === 0 ? "MEDIA_NOT_FOUND" : "OK";
  const settlement = {
    keyId: "key_1",
    service: "microblog",
    multiplier: 1,
    outcome,
    itemCount,
  } as const;
  const decided = await settle(ledger, hold.value, settlement);
  if (decided === null || random.chance(0.05)) return silent;
  if (!random.chance(0.05)) await release(ledger, hold.value, decided.charge);
  return { requestId, charge: decided.charge };
}

/** Three purchases. Each is repeated until it is reported done, and then once more. */
async function purchases({ dynamo, tables }: Store, account: string): Promise<number> {
  const credits = 100;
  for (const reference of ["a", "b", "c"]) {
    for (let done = 0; done < 2; ) {
      const answer = await topUp(
        { ...tables, dynamo, now: Date.now, authenticate: authenticator(null) },
        { account, kind: "purchase", credits, reference },
      );
      if (answer.ok) done++;
    }
  }
  return 3 * credits;
}

async function sweepAll(store: Store): Promise<void> {
  const later = openLedger(store, () => FIVE_MINUTES_MS);
  for (let runs = 0; runs < 5; runs++) await sweep(later);
}

async function expectExact(
  store: Store,
  account: string,
  { told, granted }: { told: readonly Told[]; granted: number },
): Promise<void> {
  const items = await store.scan(store.tables.ledger);
  const own = items.filter((item) => item["account"]?.S === account && item["kind"]?.S === "usage");
  const charges = new Map(own.map((item) => [item["record_id"]?.S, Number(item["charge"]?.N)]));
  const charged = [...charges.values()].reduce((sum, charge) => sum + charge, 0);
  const available = granted - charged;
  expect(await balancesOf(store, account)).toEqual({
    available,
    held: 0,
    charged,
    granted,
    holds: 0,
  });
  const spoken = told.filter(({ charge }) => charge !== null);
  const recorded = spoken.map(({ requestId }) => ({
    requestId,
    charge: charges.get(requestId) ?? 0,
  }));
  expect(recorded).toEqual(spoken);
  expect(charged).toBeGreaterThan(0);
}
