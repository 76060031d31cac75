import { describe, expect, it } from "vitest";
import { SERVICES } from "../../../src/contract/schemas.ts";
import {
  CALLS_A_RUN_MAX,
  OPEN_HOLDS_MAX,
  SWEEP_ACCOUNTS_MAX,
  SWEEP_CALLS_MAX,
  SWEEP_CONCURRENCY,
  SWEEP_HOLDS_MAX,
  SWEEP_OVERDUE_MS,
  SWEEP_PAGES_MAX,
  SWEEP_PERIOD_MS,
} from "../../../src/credits/limits.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import { dueAccounts } from "../../../src/credits/sweep-index.ts";
import { LIMIT_REQUESTS, LIMIT_WINDOW_SECONDS } from "../../../src/limiter/limiter.ts";
import type { Dynamo } from "../../../src/store/dynamodb.ts";
import {
  ACCOUNTS,
  addAccount,
  balancesOf,
  createClock,
  createTestEngine,
  type LogEntry,
  testLedger,
} from "../../support/service.ts";

const requestId = (at: number) => `019a3a5c-0000-7000-8000-${String(at).padStart(12, "0")}`;

async function start() {
  const engine = createTestEngine();
  const clock = createClock();
  const logs: LogEntry[] = [];
  const log = (entry: LogEntry) => void logs.push(entry);
  const ledger = testLedger(engine.dynamo, { now: clock.now, sleep: clock.sleep, log });
  const hold = async (account: string, at = 1) => {
    const service = SERVICES[at % SERVICES.length] ?? "microblog";
    const wanted = { account, requestId: requestId(at), service, credits: 2 };
    const hold = await reserve(ledger, wanted);
    if (!hold.ok) throw new Error(hold.failure.cause);
    return hold.value;
  };
  const expire = () => clock.pass(ledger.holdLifeMs);
  return { engine, clock, ledger, logs, hold, expire };
}

describe("a run of the sweep", () => {
  it("logs every hold that it ends, with what the ledger says", async () => {
    const { ledger, logs, hold, expire, engine } = await start();
    const account = await addAccount(engine.dynamo);
    await hold(account, 1);
    const settled = { keyId: "key_1", service: "microblog", outcome: "OK" } as const;
    await settle(ledger, await hold(account, 2), { ...settled, itemCount: 1, multiplier: 1 });
    expire();
    expect(await sweep(ledger)).toEqual({ accounts: 1, healed: 2, left: 0 });
    const line = { event: "hold_swept", account, gone: true };
    expect(logs).toEqual([
      { ...line, request_id: requestId(1), charge: 0 },
      { ...line, request_id: requestId(2), charge: 1 },
    ]);
  });

  it("raises an alarm for a hold that is older than three sweeps, and for no other", async () => {
    const { ledger, logs, hold, expire, clock, engine } = await start();
    const account = await addAccount(engine.dynamo);
    await hold(account, 1);
    clock.pass(1);
    await hold(account, 2);
    expire();
    clock.pass(SWEEP_OVERDUE_MS);
    expect(await sweep(ledger)).toMatchObject({ healed: 2 });
    const late_ms = SWEEP_OVERDUE_MS + 1;
    expect(logs.filter(({ alarm }) => alarm)).toEqual([
      { event: "hold_overdue", alarm: true, late_ms, account, request_id: requestId(1) },
    ]);
  });

  it("counts what it could not read, and goes on", async () => {
    const { ledger, hold, expire, engine } = await start();
    for (const account of ["acct_a", "acct_b"]) {
      await addAccount(engine.dynamo, { account });
      await hold(account);
    }
    expire();
    const read: Dynamo["read"] = async (address) =>
      address.Key["account"]?.S === "acct_a"
        ? { outcome: "unknown", cause: "down" }
        : engine.dynamo.read(address);
    const deaf = { ...ledger, dynamo: { ...ledger.dynamo, read } };
    expect(await sweep(deaf)).toEqual({ accounts: 2, healed: 1, left: 1 });
    expect(balancesOf(engine, "acct_a")).toMatchObject({ held: 2, holds: 1 });
    expect(balancesOf(engine, "acct_b")).toMatchObject({ held: 0, holds: 0 });
  });

  it("is not stopped by a malformed account, and says which it is", async () => {
    const { ledger, logs, hold, expire, engine } = await start();
    const Key = { account: { S: "acct_a" } };
    const Item = { ...Key, sweep: { S: "open" }, holds: { S: "?" } };
    const ConditionExpression = "attribute_not_exists(account)";
    await engine.dynamo.put({ TableName: ACCOUNTS, Key, Item, ConditionExpression });
    await addAccount(engine.dynamo, { account: "acct_b" });
    await hold("acct_b");
    expire();
    expect(await sweep(ledger)).toEqual({ accounts: 2, healed: 1, left: 1 });
    expect(balancesOf(engine, "acct_b").holds).toBe(0);
    expect(logs).toContainEqual(
      expect.objectContaining({ event: "account_malformed", alarm: true, account: "acct_a" }),
    );
  });

  it("ends no more holds than its share, the oldest first", async () => {
    const { ledger, hold, expire, clock, engine } = await start();
    const accounts = ["acct_a", "acct_b"];
    for (const account of accounts) await addAccount(engine.dynamo, { account, credits: 500 });
    for (let at = 0; at < 200; at++) {
      for (const account of accounts) await hold(account, at);
      clock.pass(1);
    }
    expire();
    const left = 400 - SWEEP_HOLDS_MAX;
    expect(await sweep(ledger)).toEqual({ accounts: 2, healed: SWEEP_HOLDS_MAX, left });
    for (const account of accounts) expect(balancesOf(engine, account).holds).toBe(left / 2);
    expect(await sweep(ledger)).toEqual({ accounts: 2, healed: left, left: 0 });
  });

  it("makes no more calls than a worker may, however much there is to do", async () => {
    const { ledger, hold, expire, engine } = await start();
    const accounts = Array.from({ length: SWEEP_ACCOUNTS_MAX }, (_, at) => `acct_${at}`);
    for (const account of accounts) await addAccount(engine.dynamo, { account, credits: 500 });
    for (const account of accounts.slice(2)) await release(ledger, await hold(account), 0);
    for (let at = 0; at < OPEN_HOLDS_MAX; at++) {
      for (const account of accounts.slice(0, 2)) await hold(account, at);
    }
    expire();
    let calls = 0;
    const counted =
      <A, R>(call: (request: A) => Promise<R>) =>
      (request: A) => {
        calls++;
        return call(request);
      };
    const paged: Dynamo["query"] = (request) =>
      engine.dynamo.query({ ...request, Limit: SWEEP_ACCOUNTS_MAX / SWEEP_PAGES_MAX });
    // Whatever a write does is not known: the dearest answer there is.
    const lost = (call: Dynamo["update"]) => async (request: Parameters<Dynamo["update"]>[0]) => {
      await call(request);
      return { outcome: "unknown", cause: "lost" } as const;
    };
    const { read, put, update } = engine.dynamo;
    const dynamo: Dynamo = {
      read: counted(read),
      put: counted(put),
      update: counted(lost(update)),
      query: counted(paged),
    };
    expect(await sweep({ ...ledger, dynamo })).toMatchObject({ accounts: 200 });
    expect(calls).toBeGreaterThan(SWEEP_CALLS_MAX - 5);
    expect(calls).toBeLessThanOrEqual(CALLS_A_RUN_MAX);
  });

  it("has no more calls under way than a worker may", async () => {
    const { ledger, hold, expire, engine } = await start();
    for (let at = 0; at < 30; at++) {
      await hold(await addAccount(engine.dynamo, { account: `acct_${at}` }));
    }
    expire();
    let underWay = 0;
    let most = 0;
    const counted =
      <A, R>(call: (request: A) => Promise<R>) =>
      async (request: A) => {
        most = Math.max(most, ++underWay);
        await Promise.resolve();
        const answer = await call(request);
        underWay--;
        return answer;
      };
    const { read, put, update, query } = engine.dynamo;
    const dynamo = { read: counted(read), put: counted(put), update: counted(update), query };
    expect(await sweep({ ...ledger, dynamo })).toMatchObject({ healed: 30 });
    expect(most).toBe(SWEEP_CONCURRENCY);
  });
});

describe("an account", () => {
  it("stays in the index when a hold is opened while the sweep takes it for idle", async () => {
    const { ledger, hold, expire, engine } = await start();
    const account = await addAccount(engine.dynamo);
    const first = await hold(account, 1);
    await release(ledger, first, 0);
    const read: Dynamo["read"] = async (address) => {
      const found = await engine.dynamo.read(address);
      await hold(account, 2);
      return found;
    };
    await sweep({ ...ledger, dynamo: { ...ledger.dynamo, read } });
    expire();
    expect(await sweep(ledger)).toEqual({ accounts: 1, healed: 1, left: 0 });
    expect(balancesOf(engine, account)).toMatchObject({ held: 0, holds: 0 });
  });
});

it("an account may have as many holds open as a key's requests can open in a window", () => {
  const windowSeconds = 120;
  const requests = (windowSeconds / LIMIT_WINDOW_SECONDS) * LIMIT_REQUESTS;
  expect(OPEN_HOLDS_MAX).toBeGreaterThanOrEqual(requests);
});

describe("a large index", () => {
  const names = Array.from({ length: 1_500 }, (_, at) => `acct_${at.toString(16)}`);

  it("is read page by page", async () => {
    const { ledger, hold, expire, engine } = await start();
    for (let at = 0; at < 7; at++) {
      await hold(await addAccount(engine.dynamo, { account: `acct_${at}` }));
    }
    expire();
    const query: Dynamo["query"] = (request) => engine.dynamo.query({ ...request, Limit: 3 });
    expect(await sweep({ ...ledger, dynamo: { ...ledger.dynamo, query } })).toMatchObject({
      accounts: 7,
      healed: 7,
    });
  });

  it("is covered once in as many runs as it has shares", () => {
    const runs = Array.from({ length: 16 }, (_, run) => dueAccounts(names, run * SWEEP_PERIOD_MS));
    for (const run of runs) expect(run.length).toBeLessThanOrEqual(SWEEP_ACCOUNTS_MAX);
    expect(runs.flat().toSorted()).toEqual(names.toSorted());
  });

  it("is covered whole by every run while it is small", () => {
    const few = names.slice(0, SWEEP_ACCOUNTS_MAX);
    expect(dueAccounts(few, 0)).toEqual(few);
    expect(dueAccounts(few, SWEEP_PERIOD_MS)).toEqual(few);
  });
});
