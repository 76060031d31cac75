import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it } from "vitest";
import { exportLocal } from "../../infra/finance/export/local.ts";
import { close, listen } from "../../infra/local/loopback.ts";
import { showAccount } from "../../infra/ops/accounts.ts";
import { scanAll } from "../../infra/ops/scan.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { topUp } from "../../infra/ops/topup.ts";
import { listUsage } from "../../infra/ops/usage.ts";
import { localConnection, openTables, type Tables } from "../../infra/tables/tables.ts";
import { take } from "../../infra/terminal/answer.ts";
import { resolveResponseSchema } from "../../src/contract/schemas.ts";
import { authenticator } from "../../src/credits/record-mac.ts";
import { sweep } from "../../src/credits/sweep.ts";
import { reconciled } from "../node/finance/exports.ts";

/**
 * Kills the whole stack (`kill -9`) in the middle of requests and checks what is left after the
 * next start. `npm run test:finance` sends 2,000 requests and kills the stack four times.
 */

const PHOTOS = "https://x.com/sample_account/status/1900000000000000102";
const KILLS = process.env["npm_lifecycle_event"] === "test:finance" ? 4 : 1;
const REQUESTS_A_KILL = KILLS === 1 ? 50 : 500;
const UNANSWERED_A_KILL = 10;
/** Fewer than the limit of a key. */
const REQUESTS_AN_ACCOUNT = 100;
const BOUGHT = 980;
const GRANTED = BOUGHT + 20;
const HOLD_LIFE_MS = 180_000;

const stops: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});

async function startDev(folder: string, egressUrl: string) {
  const words = ["test/node/local/dev-process.ts", folder, "--port", "0", "--egress", egressUrl];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  stops.push(async () => {
    child.kill("SIGINT");
    await ended;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Ready on (.*)$/.exec(line)?.[1];
    if (url === undefined) continue;
    const tables = openTables(take(await localConnection(join(folder, "stack.json"))));
    stops.push(async () => tables.client.destroy());
    return { child, ended, url, tables };
  }
  throw new Error("the stack did not start");
}

/**
 * A platform that answers with the same four photos, after a delay. Before each kill it leaves the
 * last requests without an answer, so that they run when the stack is killed, also on a machine where
 * that takes long.
 */
async function startPlatform(): Promise<{ url: string; forgetAsked: () => void }> {
  const photos = await readFile("infra/local/samples/microblog-photos.json", "utf8");
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    if (asked > REQUESTS_A_KILL - UNANSWERED_A_KILL) return;
    setTimeout(() => response.end(photos), 20 * (asked % 25));
  });
  stops.push(() => close(server));
  const forgetAsked = () => {
    asked = 0;
  };
  return { url: await listen(server), forgetAsked };
}

/** Sends one request. Returns the charge that the client was told, or null without an answer. */
async function ask(url: string, key: string): Promise<number | null> {
  try {
    const response = await fetch(`${url}/v1/resolve`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ service: "microblog", url: PHOTOS }),
    });
    return resolveResponseSchema.parse(await response.json()).credits_used;
  } catch {
    return null;
  }
}

/** Keeps 50 requests running and kills the stack when half of them are answered. */
async function fireAndKill(
  { url, child, ended }: Awaited<ReturnType<typeof startDev>>,
  keys: readonly string[],
): Promise<number[]> {
  const told: number[] = [];
  let sent = 0;
  const sender = async () => {
    while (sent < REQUESTS_A_KILL) {
      const charge = await ask(url, keys[sent++ % keys.length] ?? "");
      if (charge !== null) told.push(charge);
      if (told.length === REQUESTS_A_KILL / 2) child.kill("SIGKILL");
    }
  };
  await Promise.all(Array.from({ length: 50 }, sender));
  await ended;
  return told;
}

async function openAccounts(folder: string, tables: Tables) {
  const connection = take(await localConnection(join(folder, "stack.json")));
  const holders: { account: string; key: string }[] = [];
  for (let at = 0; at * REQUESTS_AN_ACCOUNT < KILLS * REQUESTS_A_KILL; at++) {
    const holder = await seedDevAccount(connection);
    const { account } = holder;
    const bought = { account, kind: "purchase", credits: BOUGHT, reference: `INV-${at}` } as const;
    take(await topUp(tables, bought));
    holders.push(holder);
  }
  return holders;
}

/** When every hold has expired. */
const later = () => Date.now() + 2 * HOLD_LIFE_MS;

async function sweepLater(tables: Tables) {
  return sweep({
    dynamo: tables.dynamo,
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
    now: later,
    sleep: async () => {},
    random: () => 0,
    nonce: () => crypto.randomUUID(),
    authenticate: authenticator(null),
    holdLifeMs: HOLD_LIFE_MS,
    log: () => {},
  });
}

/** Compares balances with the ledger. Returns the charges above 0. */
async function chargesOf(tables: Tables, account: string): Promise<number[]> {
  const [from, to] = [new Date(Date.now() - 900_000), new Date(Date.now() + 60_000)];
  const { records } = take(await listUsage(tables, { account, from, to, limit: 10_000 }));
  const charged = records.reduce((sum, { charge }) => sum + charge, 0);
  expect(take(await showAccount(tables, account))).toMatchObject({
    available: GRANTED - charged,
    held: 0,
    charged,
    granted: GRANTED,
    open_holds: 0,
  });
  return records.map(({ charge }) => charge).filter((charge) => charge > 0);
}

describe("a stack that is killed in the middle of requests", () => {
  it("keeps every credit accounted for when it is started again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kill-"));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const platform = await startPlatform();

    let stack = await startDev(folder, platform.url);
    const holders = await openAccounts(folder, stack.tables);
    const keys = holders.map(({ key }) => key);
    const told: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      told.push(...(await fireAndKill(stack, keys)));
      platform.forgetAsked();
      stack = await startDev(folder, platform.url);
    }
    expect(told.length).toBeGreaterThanOrEqual((KILLS * REQUESTS_A_KILL) / 2);
    expect(told.length).toBeLessThan(KILLS * REQUESTS_A_KILL);

    const { tables } = stack;
    for (const { account } of holders) {
      const { available, held, charged } = take(await showAccount(tables, account));
      expect(available + held + charged).toBe(GRANTED);
    }
    expect((await sweepLater(tables)).left).toBe(0);
    const charges = await Promise.all(holders.map(({ account }) => chargesOf(tables, account)));
    expect(charges.flat().length).toBeGreaterThanOrEqual(told.length);
    expect(new Set([...told, ...charges.flat()])).toEqual(new Set([4]));

    const to = join(folder, "export");
    const scan = (table: string) => scanAll(tables, table);
    take(await exportLocal({ ...tables, scan, now: later }, to));
    expect(await reconciled([to])).toMatchObject({ answer: { ok: true }, findings: [] });
  }, 170_000);
});
