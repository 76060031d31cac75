import { v7 as uuidv7 } from "uuid";
import { afterAll, describe, expect, it } from "vitest";
import { changeAccount, createAccount } from "../../../infra/ops/accounts.ts";
import { listUsage, showUsage } from "../../../infra/ops/usage.ts";
import { take } from "../../../infra/terminal/answer.ts";
import type { Ledger } from "../../../src/credits/ledger.ts";
import { HOLD_GRACE_MS } from "../../../src/credits/limits.ts";
import { authenticator } from "../../../src/credits/record-mac.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import { begin } from "../../../src/idempotency/begin.ts";
import { runOps } from "./command.ts";
import { startTables } from "./engine.ts";

const NOON_MS = Date.UTC(2026, 9, 15, 12);
const MINUTE_MS = 60_000;
const HASH = /^[0-9a-f]{32}$/;
const SENT = { service: "microblog", url: "https://x.com/a/status/1", max_results: 1 } as const;

const engine = await startTables();
afterAll(engine.stop);

/** An account, and requests of it at made-up times. */
async function start() {
  const { tables } = engine;
  const email = `${crypto.randomUUID()}@example.com`;
  const { account_id: account } = take(await createAccount(tables, email));
  take(await changeAccount(tables, account, { email_verified: true }));
  let nowMs = 0;
  const ledger: Ledger = {
    dynamo: tables.dynamo,
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
    now: () => nowMs,
    sleep: async () => {},
    random: () => 0,
    nonce: () => crypto.randomUUID().slice(0, 8),
    authenticate: authenticator(null),
    holdLifeMs: 2 * MINUTE_MS + HOLD_GRACE_MS,
    log: () => {},
  };
  const hold = async (atMs: number, key: string | null) => {
    nowMs = atMs;
    const beginning = key === null ? null : take(await begun(ledger, account, key));
    const requestId = beginning?.requestId ?? uuidv7({ msecs: atMs });
    const wanted = { account, requestId, service: SENT.service, credits: 1 };
    const held = await reserve(ledger, wanted);
    if (!held.ok) throw new Error(held.failure.cause);
    return { held: held.value, idempotency: beginning?.idempotency ?? undefined };
  };
  /** A request that takes three seconds. Returns its id. */
  const request = async (atMs: number, key: string | null) => {
    const { held, idempotency } = await hold(atMs, key);
    nowMs += 3_000;
    const ended = { service: SENT.service, outcome: "OK", itemCount: 1, multiplier: 1 } as const;
    await settle(ledger, held, { ...ended, keyId: "key_1", idempotency });
    return held.requestId;
  };
  /** A request whose worker dies. The sweep ends it four minutes later. */
  const die = async (atMs: number, key: string) => {
    const { held } = await hold(atMs, key);
    nowMs += 4 * MINUTE_MS;
    await sweep(ledger);
    return held.requestId;
  };
  const listed = async (fromMs: number, toMs: number) => {
    const wanted = { account, from: new Date(fromMs), to: new Date(toMs), limit: 10 };
    return take(await listUsage(tables, wanted)).records;
  };
  return { account, request, die, listed };
}

async function begun(ledger: Ledger, account: string, key: string) {
  const beginning = await begin(ledger, { key, account }, SENT);
  if (!beginning.ok || beginning.value.begun === null) {
    return { ok: false, problem: "it did not begin" } as const;
  }
  return { ok: true, value: beginning.value.begun } as const;
}

describe("the usage of requests with Idempotency-Key", () => {
  it("is listed at the moment of settlement, with the hash of the key", async () => {
    const { request, listed } = await start();
    const keyed = await request(NOON_MS, "order-1");
    const bare = await request(NOON_MS - MINUTE_MS, null);
    const records = await listed(NOON_MS - 2 * MINUTE_MS, NOON_MS + MINUTE_MS);
    expect(records).toMatchObject([
      { request_id: bare, requested_at: "2026-10-15T11:59:00.000Z", idempotency_key: null },
      { request_id: keyed, requested_at: "2026-10-15T12:00:03.000Z" },
    ]);
    expect(records[1]?.idempotency_key).toMatch(HASH);
    expect(await listed(NOON_MS - 2 * MINUTE_MS, NOON_MS)).toMatchObject([{ request_id: bare }]);
    expect(await listed(NOON_MS + MINUTE_MS, NOON_MS + 2 * MINUTE_MS)).toEqual([]);
    expect(await listed(NOON_MS - 720 * MINUTE_MS, NOON_MS - 2 * MINUTE_MS)).toEqual([]);
  });

  it("is found in the month after the one of its id", async () => {
    const { request, listed } = await start();
    const midnightMs = Date.UTC(2026, 10, 1);
    const keyed = await request(midnightMs - 1_000, "order-1");
    expect(await listed(midnightMs, midnightMs + MINUTE_MS)).toMatchObject([
      { request_id: keyed, requested_at: "2026-11-01T00:00:02.000Z" },
    ]);
  });

  it("that the sweep wrote is listed at its moment, without the key that it does not know", async () => {
    const { die, listed } = await start();
    const lost = await die(NOON_MS, "order-1");
    expect(await listed(NOON_MS, NOON_MS + 5 * MINUTE_MS)).toMatchObject([
      { request_id: lost, requested_at: "2026-10-15T12:04:00.000Z", idempotency_key: null },
    ]);
  });

  it("is shown by request id, and by the command in both forms", async () => {
    const { account, request } = await start();
    const requestId = await request(NOON_MS, "order-1");
    const shown = take(await showUsage(engine.tables, { requestId, account }));
    expect(shown).toMatchObject({ requested_at: shown.settled_at, charge: 1 });
    const hash = shown.idempotency_key ?? "";
    expect(hash).toMatch(HASH);
    const words = ["--account", account, "--from", "2026-10-15T12:00:00Z", "--to", "2026-10-16"];
    const people = await runOps(engine.connection, ["usage", "list", ...words]);
    expect(people).toMatchObject({ code: 0, out: expect.stringContaining(hash) });
    expect(people.out).not.toContain("order-1");
    const one = ["--json", "usage", "show", "--request-id", requestId];
    const machine = await runOps(engine.connection, one);
    expect(JSON.parse(machine.out)).toMatchObject({ idempotency_key: hash });
  });
});
