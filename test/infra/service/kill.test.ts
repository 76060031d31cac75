import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it } from "vitest";
import { close, listen } from "../../../infra/local/loopback.ts";
import { showAccount } from "../../../infra/ops/accounts.ts";
import type { Answer } from "../../../infra/ops/answer.ts";
import { seedDevAccount } from "../../../infra/ops/seed.ts";
import { localConnection, openTables, type Tables } from "../../../infra/ops/tables.ts";
import { topUp } from "../../../infra/ops/topup.ts";
import { listUsage } from "../../../infra/ops/usage.ts";
import { resolveResponseSchema } from "../../../src/contract.ts";
import { sweep } from "../../../src/credits/sweep.ts";

/** `kill -9` of the whole stack in the middle of requests, and what is left after the next start. */

const PHOTOS = "https://x.com/sample_account/status/1900000000000000102";
const REQUESTS = 50;
const HOLD_LIFE_MS = 180_000;

const stops: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});

async function startDev(folder: string, egressUrl: string) {
  const words = ["test/infra/local/dev-process.ts", folder, "--port", "0", "--egress", egressUrl];
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

/** A platform that answers every post with the same four photos, each after a while. */
async function startPlatform(): Promise<string> {
  const photos = await readFile("test/samples/microblog-photos.json", "utf8");
  let asked = 0;
  const server = createServer((_, response) => {
    setTimeout(() => response.end(photos), 20 * (asked++ % 25));
  });
  stops.push(() => close(server));
  return listen(server);
}

function take<T>(outcome: Answer<T>): T {
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}

/** Sends many requests at once and tells the charges that clients were told; null: no answer. */
function fire(url: string, key: string, onAnswer: () => void): Promise<(number | null)[]> {
  const one = async () => {
    try {
      const response = await fetch(`${url}/v1/resolve`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ service: "microblog", url: PHOTOS }),
      });
      const told = resolveResponseSchema.parse(await response.json()).credits_used;
      onAnswer();
      return told;
    } catch {
      return null;
    }
  };
  return Promise.all(Array.from({ length: REQUESTS }, one));
}

async function sweepLater(tables: Tables) {
  return sweep({
    dynamo: tables.dynamo,
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
    now: () => Date.now() + 2 * HOLD_LIFE_MS,
    sleep: async () => {},
    random: () => 0,
    nonce: () => crypto.randomUUID(),
    holdLifeMs: HOLD_LIFE_MS,
    log: () => {},
  });
}

describe("a stack that is killed in the middle of 50 requests", () => {
  it("keeps every credit accounted for when it is started again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kill-"));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const egressUrl = await startPlatform();

    const first = await startDev(folder, egressUrl);
    const connection = take(await localConnection(join(folder, "stack.json")));
    const { account, key } = await seedDevAccount(connection);
    const bought = { account, kind: "purchase", credits: 980, reference: "INV-1" } as const;
    take(await topUp(first.tables, bought));
    let answers = 0;
    const told = await fire(first.url, key, () => {
      if (++answers === REQUESTS / 5) first.child.kill("SIGKILL");
    });
    await first.ended;
    const answered = told.filter((charge) => charge !== null);
    expect(answered.length).toBeGreaterThanOrEqual(REQUESTS / 5);
    expect(answered.length).toBeLessThan(REQUESTS);

    const { tables } = await startDev(folder, egressUrl);
    const before = take(await showAccount(tables, account));
    expect(before.available + before.held + before.charged).toBe(1000);
    expect(before.granted).toBe(1000);
    expect((await sweepLater(tables)).left).toBe(0);

    const after = take(await showAccount(tables, account));
    const [from, to] = [new Date(Date.now() - 600_000), new Date(Date.now() + 60_000)];
    const { records } = take(await listUsage(tables, { account, from, to, limit: 1000 }));
    const charged = records.reduce((sum, { charge }) => sum + charge, 0);
    expect(after).toMatchObject({
      available: 1000 - charged,
      held: 0,
      charged,
      granted: 1000,
      open_holds: 0,
    });
    expect(records.length).toBeLessThanOrEqual(REQUESTS);
    const charges = records.filter(({ charge }) => charge > 0);
    expect(charges.length).toBeGreaterThanOrEqual(answered.length);
    expect(new Set(answered)).toEqual(new Set([4]));
    expect(new Set(charges.map(({ charge }) => charge))).toEqual(new Set([4]));
  });
});
