import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setInterval } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { close, listen } from "../../infra/local/loopback.ts";
import { type Stack, startStack } from "../../infra/local/stack.ts";
import { readAccountItem } from "../../infra/ops/account-item.ts";
import { showAccount } from "../../infra/ops/accounts.ts";
import { createKey } from "../../infra/ops/keys.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { topUp } from "../../infra/ops/topup.ts";
import { listUsage } from "../../infra/ops/usage.ts";
import { openTables, type Tables } from "../../infra/tables/tables.ts";
import { take } from "../../infra/terminal/answer.ts";
import { SERVICE_OPEN_HOLDS_MAX } from "../../src/credits/limits.ts";

/**
 * One platform hangs while an account asks it for more than its service may have open, and asks another
 * platform all the while. Nothing that hangs ends meanwhile: a window of 8 s stands for one of 120 s.
 * `test/worker/http/open-holds.test.ts` does it for three minutes, of made-up time.
 */
const WINDOW_MS = 8_000;
const TRAFFIC_MS = 0.8 * WINDOW_MS;
const PAUSE_MS = 100;
/** At each pause, until the first is refused. After that one at a time. */
const HANGING_AT_ONCE = 30;
const KEYS = 6;
const BOUGHT = 980;

const stops: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});

/** A gateway to two platforms: one has a photo in every post, the other one never answers. */
async function startPlatforms(): Promise<string> {
  const page = await readFile("infra/local/samples/messenger-channel-photo.html", "utf8");
  const server = createServer((request, response) => {
    const gateway = new URL(request.url ?? "/", "http://gateway");
    const target = new URL(gateway.searchParams.get("url") ?? "http://nobody");
    if (target.hostname === "t.me") response.end(page);
  });
  stops.push(() => close(server));
  return listen(server);
}

/** An account that can pay for everything, with as many keys as the requests need. */
async function openAccount(stack: Stack, tables: Tables) {
  const { account, key } = await seedDevAccount(stack.connection);
  const bought = { account, kind: "purchase", credits: BOUGHT, reference: "INV-1" } as const;
  take(await topUp(tables, bought));
  const keys = [key];
  while (keys.length < KEYS) {
    keys.push(take(await createKey(tables, { account, label: "more" })).key);
  }
  return { account, keys };
}

/** Sends everything, in step with the other platform's answers. Returns the answers of all. */
async function sendAll(stack: Stack, keys: readonly string[]) {
  let sent = 0;
  const ask = async (service: string, url: string) => {
    const headers = {
      authorization: `Bearer ${keys[sent++ % keys.length]}`,
      "content-type": "application/json",
    };
    const body = JSON.stringify({ service, url: url + sent, max_results: 1 });
    const response = await fetch(`${stack.url}/v1/resolve`, { method: "POST", headers, body });
    await response.arrayBuffer();
    return response;
  };
  const hanging: Promise<Response>[] = [];
  const healthy: Response[] = [];
  let isFull = false;
  const hang = async () => {
    const response = await ask("microblog", "https://x.com/someone/status/");
    if (response.status === 429) isFull = true;
    return response;
  };
  const endMs = Date.now() + TRAFFIC_MS;
  for await (const _ of setInterval(PAUSE_MS)) {
    for (let at = 0; at < (isFull ? 1 : HANGING_AT_ONCE); at++) hanging.push(hang());
    healthy.push(await ask("messenger-channel", "https://t.me/sample_channel/101?"));
    if (Date.now() > endMs) break;
  }
  return { healthy, hanging: await Promise.all(hanging) };
}

/** What the tables say of the account once no hold is open. */
async function booksOf(tables: Tables, account: string) {
  const shown = async () => take(await showAccount(tables, account));
  await expect.poll(async () => (await shown()).open_holds, { timeout: 5_000 }).toBe(0);
  const item = take(await readAccountItem(tables, account));
  const counters = Object.entries(item).filter(([name]) => name.startsWith("open_"));
  const [from, to] = [new Date(Date.now() - 900_000), new Date(Date.now() + 60_000)];
  const { records } = take(await listUsage(tables, { account, from, to, limit: 1_000 }));
  return { balances: await shown(), counters: Object.fromEntries(counters), records };
}

it("an account's other requests succeed while a platform hangs, and nothing of it remains", async () => {
  const egressUrl = await startPlatforms();
  const vars = { RESOLVE_WINDOW_MS: String(WINDOW_MS) };
  const stack = await startStack({ egressUrl, vars, onLog: () => {} });
  stops.push(stack.stop);
  const tables = openTables(stack.connection);
  stops.push(async () => tables.client.destroy());
  const { account, keys } = await openAccount(stack, tables);
  const { healthy, hanging } = await sendAll(stack, keys);

  expect(healthy.map(({ status }) => status)).toEqual(healthy.map(() => 200));
  const refused = hanging.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of refused) {
    expect(headers.get("ratelimit")).toMatch(
      /^"holds";r=0;t=[1-8];q=120;qu="concurrent-requests"$/,
    );
    expect(headers.get("ratelimit-policy")).toContain('"holds";q=120;qu="concurrent-requests"');
    expect(headers.get("retry-after")).toMatch(/^[1-8]$/);
  }
  const timedOut = hanging.filter(({ status }) => status === 504);
  expect(timedOut.length).toBeGreaterThanOrEqual(SERVICE_OPEN_HOLDS_MAX);
  expect(timedOut.length + refused.length).toBe(hanging.length);

  const { balances, counters, records } = await booksOf(tables, account);
  const charged = 2 * healthy.length;
  const granted = BOUGHT + 20;
  expect(balances).toMatchObject({ available: granted - charged, held: 0, charged, granted });
  expect(counters).toEqual({ open_messenger_channel: { N: "0" }, open_microblog: { N: "0" } });
  expect(records).toHaveLength(timedOut.length + healthy.length);
  const failures = records.filter(({ service }) => service === "microblog");
  expect(failures.map(({ charge }) => charge)).toEqual(timedOut.map(() => 0));
}, 60_000);
