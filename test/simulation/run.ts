import { type TopUp, topUp } from "../../infra/ops/topup.ts";
import { OPEN_HOLDS_MAX } from "../../src/credits/limits.ts";
import { authenticator } from "../../src/credits/record-mac.ts";
import { sweep } from "../../src/credits/sweep.ts";
import { fingerprint } from "../../src/keys/api-key.ts";
import { ACCOUNTS, addAccount, addKey, LEDGER } from "../support/memory-dynamodb/store.ts";
import { type Barred, bar, type Movement, moveCredits, startCron } from "./background.ts";
import {
  type Asked,
  ask,
  type Customer,
  collaboratorsOf,
  drawRequest,
  type Sent,
} from "./client.ts";
import { replaceDigest } from "./digest.ts";
import { checkEnd, checkHistory, checkTold } from "./invariants.ts";
import { createProcess } from "./process.ts";
import { createWorld, type World } from "./world.ts";

/** The outcome of one seed. */
export interface Outcome {
  readonly seed: number;
  readonly requests: number;
  /** Requests by service. */
  readonly services: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
  /** What happened: one line per event, seconds first. */
  readonly trace: readonly string[];
}

const TRAFFIC_MS = 300_000;
/** Longer than any hold lives, whatever the clocks say. */
const AFTERMATH_MS = 600_000;

/** Runs the service's own code in a world that one seed decides, and judges it. */
export async function runSeed(seed: number): Promise<Outcome> {
  replaceDigest();
  const world = createWorld(seed);
  const { random, scheduler, engine } = world;
  const startMs = scheduler.now();
  const customers = await Promise.all([1, 2].map((at) => createCustomer(world, at)));
  const initial = new Map(
    engine.scan(ACCOUNTS).map((item) => [item["account"]?.S ?? "", Number(item["granted"]?.N)]),
  );
  world.stamp();

  const asked: Asked[] = [];
  const barred: Barred[] = [];
  const movements: Movement[] = [];
  startCron(world, startMs + TRAFFIC_MS);
  for (const customer of customers) {
    const count = random.pick([1, 3, 10, random.between(1, 20)]);
    for (let at = 0; at < count; at++) {
      const burst = random.pick([50, 5_000, TRAFFIC_MS]);
      const atMs = random.between(0, burst);
      const sent = { wanted: drawRequest(world), idempotencyKey: drawKey(world) };
      for (const delayMs of [0, ...repetitionsOf(world, sent)]) {
        scheduler.after(atMs + delayMs, () => void asked.push(ask(world, customer, sent)));
      }
    }
    planMovements(world, customer, movements);
    if (random.chance(0.2)) {
      const atMs = random.between(0, TRAFFIC_MS);
      scheduler.after(atMs, () => void bar(world, customer).then((done) => barred.push(done)));
    }
  }
  await scheduler.drain();
  await settleAll(world, movements);

  const history = checkHistory(world);
  const violations = [
    ...history.violations,
    ...checkTold(history, asked, barred),
    ...checkEnd(world, initial),
  ];
  const faults = Object.fromEntries(world.faults);
  const services: Record<string, number> = {};
  for (const { service } of asked) services[service] = (services[service] ?? 0) + 1;
  return { seed, requests: asked.length, services, faults, violations, trace: world.trace };
}

function drawKey(world: World): string | null {
  return world.random.chance(0.4) ? `order-${world.count()}` : null;
}

/** After how long a client sends its request again: at once, when it has given up, or much later. */
function repetitionsOf(world: World, { idempotencyKey }: Sent): readonly number[] {
  const { random } = world;
  const count = idempotencyKey === null ? 0 : random.between(0, 3);
  return Array.from({ length: count }, () => {
    world.fault("sent again", idempotencyKey ?? "");
    return random.between(0, random.pick([5, 1_000, 10_000, TRAFFIC_MS]));
  });
}

async function createCustomer(world: World, at: number): Promise<Customer> {
  const { random, engine } = world;
  const credits = random.pick([0, 20, 60, 1_000, random.between(0, 200)]);
  const account = await addAccount(engine.dynamo, { account: `acct_${at}`, credits });
  const key = await addKey(engine.dynamo, account, { seed: at });
  const { keyId } = await fingerprint(key);
  return { account, key, keyId };
}

/** Up to two movements. One operator or two at once send each. */
function planMovements(world: World, { account }: Customer, movements: Movement[]): void {
  const { random, scheduler } = world;
  for (let at = random.between(0, 2); at > 0; at--) {
    const reference = `reference-${world.count()}`;
    const kind = random.pick<TopUp["kind"]>(["grant", "purchase", "adjustment"]);
    const credits = random.between(1, 50) * (kind === "adjustment" ? -1 : 1);
    const movement = { wanted: { account, kind, credits, reference }, isDone: false };
    movements.push(movement);
    const atMs = random.between(0, TRAFFIC_MS);
    scheduler.after(atMs, () => moveCredits(world, movement));
    if (random.chance(0.3)) scheduler.after(atMs + 10, () => moveCredits(world, movement));
  }
}

/**
 * The calm at the end: every movement that is not known to be done is repeated, every hold expires,
 * and the sweep runs twice.
 */
async function settleAll(world: World, movements: readonly Movement[]): Promise<void> {
  const { engine, scheduler } = world;
  scheduler.pass(AFTERMATH_MS);
  const tables = {
    accounts: ACCOUNTS,
    ledger: LEDGER,
    dynamo: engine.dynamo,
    now: scheduler.now,
    authenticate: authenticator(null),
  };
  for (const { wanted, isDone } of movements) if (!isDone) await topUp(tables, wanted);
  const { ledger } = collaboratorsOf(world, createProcess(world, "last sweep"));
  const calm = { ...ledger, dynamo: engine.dynamo, now: scheduler.now, sleep: async () => {} };
  for (let sweeps = 0; sweeps < 2; sweeps++) await sweep(calm);
  world.stamp();
  if (world.engine.changes.length > 100 * OPEN_HOLDS_MAX) throw new Error("a run without an end");
}
