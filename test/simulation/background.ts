import { type TopUp, topUp } from "../../infra/ops/topup.ts";
import { SWEEP_PERIOD_MS } from "../../src/credits/limits.ts";
import { authenticator } from "../../src/credits/record-mac.ts";
import { sweep } from "../../src/credits/sweep.ts";
import type { Address, Item } from "../../src/store/dynamodb.ts";
import { ACCOUNTS, KEYS, LEDGER } from "../support/memory-dynamodb/store.ts";
import { type Customer, collaboratorsOf } from "./client.ts";
import { connect } from "./network.ts";
import { createProcess } from "./process.ts";
import type { World } from "./world.ts";

/** Runs the cron trigger: skips some of its runs, doubles some, and lets some die. */
export function startCron(world: World, untilMs: number): void {
  const { random, scheduler } = world;
  let skipped = random.chance(0.2) ? random.between(1, 10) : 0;
  const tick = () => {
    if (scheduler.now() >= untilMs) return;
    if (skipped > 0) {
      skipped--;
      world.fault("cron skipped", "cron");
    } else {
      runSweep(world);
      if (random.chance(0.2)) scheduler.after(random.between(0, 500), () => runSweep(world));
    }
    scheduler.after(SWEEP_PERIOD_MS, tick);
  };
  scheduler.after(random.between(0, SWEEP_PERIOD_MS), tick);
}

export function runSweep(world: World): void {
  const process = createProcess(world, `sweep ${world.count()}`);
  sweep(collaboratorsOf(world, process).ledger).then(
    (swept) => world.note(`${process.name} did ${JSON.stringify(swept)}`),
    (error: unknown) => world.note(`${process.name} failed: ${error}`),
  );
}

/** A movement that operators make. */
export interface Movement {
  readonly wanted: TopUp;
  /** Whether an operator was told that it is done. Nobody repeats it after that. */
  isDone: boolean;
}

/** An operator who repeats a movement under its reference until it is reported done. */
export function moveCredits(world: World, movement: Movement): void {
  const { wanted } = movement;
  const process = createProcess(world, `operator ${wanted.reference}`);
  const tables = {
    accounts: ACCOUNTS,
    ledger: LEDGER,
    dynamo: connect(world, process),
    now: process.now,
    authenticate: authenticator(null),
  };
  const attempt = async (): Promise<void> => {
    const done = await topUp(tables, wanted);
    world.note(`${process.name}: ${done.ok ? "done" : done.problem.slice(0, 60)}`);
    if (done.ok) movement.isDone = true;
    if (done.ok || !done.problem.includes("no answer")) return;
    await process.sleep(world.random.between(100, 10_000));
    return attempt();
  };
  void attempt();
}

/** An operator's change, and when it must take effect. Milliseconds since 1970. */
export interface Barred {
  readonly customer: Customer;
  readonly acknowledgedMs: number;
}

const CHANGES = {
  revoke: { status: { S: "revoked" } },
  suspend: { status: { S: "suspended" }, account_state: { S: "suspended" } },
  unverify: { email_verified: { BOOL: false }, account_state: { S: "unverified" } },
} as const satisfies Record<string, Item>;

/**
 * Revokes the key, suspends the account or withdraws its verification, and waits for the reply. Like
 * the operator's tool, it changes the account first and then the copy that the key has of its state.
 */
export async function bar(world: World, customer: Customer): Promise<Barred> {
  const { random, scheduler } = world;
  const change = random.pick(["revoke", "suspend", "unverify"] as const);
  world.note(`operator: ${change} ${customer.account}`);
  const key = { TableName: KEYS, Key: { key_id: { S: customer.keyId } } };
  const account = { TableName: ACCOUNTS, Key: { account: { S: customer.account } } };
  const { account_state: state, ...own } = { account_state: undefined, ...CHANGES[change] };
  await set(world, change === "revoke" ? key : account, own);
  if (state !== undefined) await set(world, key, { account_state: state });
  world.stamp();
  return { customer, acknowledgedMs: scheduler.now() };
}

/** Sets the one attribute of an item that is there. */
async function set({ engine }: World, address: Address, attributes: Item): Promise<void> {
  for (const [name, value] of Object.entries(attributes)) {
    await engine.dynamo.update({
      ...address,
      UpdateExpression: "SET #name = :value",
      ConditionExpression: "attribute_exists(#key)",
      ExpressionAttributeNames: { "#name": name, "#key": Object.keys(address.Key)[0] ?? "" },
      ExpressionAttributeValues: { ":value": value },
    });
  }
}
