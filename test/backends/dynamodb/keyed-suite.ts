import { expect, it } from "vitest";
import { createRandom, type Random } from "../../../infra/finance/generate/random.ts";
import type { Ledger } from "../../../src/credits/ledger.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import { begin, isAlone } from "../../../src/idempotency/begin.ts";
import { addAccount, balancesOf, openLedger } from "./accounts.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { remoteStore } from "./stores.ts";

/** More of them would wait for each other in the engine, and give up without any fault. */
const CLIENTS = 4;
const CREDITS = 5_000;
const SENT = { service: "microblog", max_results: 4 } as const;
/** The client gives a call up after this time. A delayed write lands later. */
const PATIENCE_MS = 300;
const DELAY_MS = { least: 400, most: 1_500 };
const FIVE_MINUTES_MS = 300_000;
/** A client that is refused so often waits for a hold that nobody will release. */
const SENDS_A_SWEEP = 6;

type Told = "paid" | "repeated" | "failed";

/** Every request is sent two to four times under its key, at once or in a row, until one succeeds. */
export function keyedSuite(endpoint: () => string, requests: number): void {
  it(`${requests} requests, each sent several times through a faulty wire, are charged once`, async () => {
    const random = createRandom(1);
    const target = endpoint();
    const wire = { target, random, probability: 0.1, delayMs: DELAY_MS };
    const proxy = await startFaultProxy(wire);
    const direct = await remoteStore(target);
    const account = await addAccount(direct, CREDITS);
    const ledger = openLedger(await remoteStore(proxy.endpoint, { timeoutMs: PATIENCE_MS }));
    const later = openLedger(direct, () => FIVE_MINUTES_MS);

    let left = requests;
    const told: Told[] = [];
    const client = async () => {
      for (let key = left--; key > 0; key = left--) {
        const sender = { account, key: `order-${key}` };
        told.push(...(await sendUntilPaid(ledger, { ...sender, later }, random)));
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await proxy.calm();
    for (let runs = 0; runs < 5; runs++) await sweep(later);
    await proxy.stop();

    const items = await direct.scan(direct.tables.ledger);
    const paid = items.filter(
      (item) => item["account"]?.S === account && item["outcome"]?.S === "OK",
    );
    expect(new Set(paid.map((item) => item["idempotency_key"]?.S)).size).toBe(requests);
    expect(paid).toHaveLength(requests);
    const charged = paid.reduce((sum, item) => sum + Number(item["charge"]?.N), 0);
    expect(await balancesOf(direct, account)).toMatchObject({ charged, held: 0, holds: 0 });
    expect(told.filter((one) => one === "repeated").length).toBeGreaterThan(requests / 4);
  }, 180_000);
}

/** As a client does that has not read an answer: it sends the same once more. */
async function sendUntilPaid(
  ledger: Ledger,
  { later, ...sender }: { account: string; key: string; later: Ledger },
  random: Random,
): Promise<readonly Told[]> {
  const told: Told[] = [];
  const copies = random.between(2, 4);
  if (random.chance(0.5)) {
    const all = Array.from({ length: copies }, () => send(ledger, sender, random));
    told.push(...(await Promise.all(all)));
  }
  while (told.length < copies || told.every((one) => one === "failed")) {
    told.push(await send(ledger, sender, random));
    // What a lost release has left is ended as if its time were over.
    if (told.length % SENDS_A_SWEEP === 0) await sweep(later).catch(() => {});
  }
  return told;
}

/** One request's path through the ledger. */
async function send(
  ledger: Ledger,
  { account, key }: { account: string; key: string },
  random: Random,
): Promise<Told> {
  const request = { ...SENT, url: `https://x.com/someone/status/${key.slice(6)}` };
  const beginning = await begin(ledger, { account, key }, request);
  if (!beginning.ok) return "failed";
  const { begun } = beginning.value;
  if (begun === null) return "repeated";
  const { requestId, rivals, idempotency } = begun;
  const wanted = { account, requestId, rivals, service: SENT.service, credits: 4 };
  const held = await reserve(ledger, wanted);
  if (!held.ok) return "failed";
  const isFound = (await isAlone(ledger, account, begun)) && !random.chance(0.1);
  const decided = await settle(ledger, held.value, {
    ...{ keyId: "key_1", service: SENT.service, multiplier: 1 },
    outcome: isFound ? "OK" : "UPSTREAM_ERROR",
    itemCount: isFound ? random.between(1, 4) : 0,
    idempotency: idempotency ?? undefined,
  });
  if (decided === null) return "failed";
  void release(ledger, held.value, decided.charge);
  if (decided.other?.isPaid) return "repeated";
  return decided.charge > 0 ? "paid" : "failed";
}
