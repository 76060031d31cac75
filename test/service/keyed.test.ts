import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { close, listen } from "../../infra/local/loopback.ts";
import { SAMPLES_FOLDER, type Stack, startStack } from "../../infra/local/stack.ts";
import { showAccount } from "../../infra/ops/accounts.ts";
import { createKey } from "../../infra/ops/keys.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { topUp } from "../../infra/ops/topup.ts";
import { listUsage } from "../../infra/ops/usage.ts";
import { openTables, type Tables } from "../../infra/tables/tables.ts";
import { take } from "../../infra/terminal/answer.ts";
import { resolveResponseSchema } from "../../src/contract/schemas.ts";
import { awayFromTheMinutesEnd } from "../support/minutes-end.ts";

/** Repetitions under an Idempotency-Key, and a nearly empty account, over real HTTP. */

const POST = {
  service: "microblog",
  url: "https://x.com/sample_account/status/1900000000000000102",
  max_results: 1,
};
const PAIRS = 200;
const PAIRS_AT_ONCE = 20;
/** What one API key may send in a minute is 120. */
const REQUESTS_A_KEY = 100;
/** A client gives up after this time. */
const PATIENCE_MS = 2_000;

const stops: (() => Promise<void>)[] = [];
let stack: Stack;
let tables: Tables;
let platform: Awaited<ReturnType<typeof startPlatform>>;
/** The lines of requests that repeat what was paid before. */
const replayLines: string[] = [];

/** A gateway whose platform counts what it is asked, and answers when it is told to. */
async function startPlatform() {
  const photos = await readFile(`${SAMPLES_FOLDER}microblog-photos.json`, "utf8");
  const gone = await readFile(`${SAMPLES_FOLDER}microblog-tombstone.json`, "utf8");
  const state = { asked: 0, isSlow: false, isGone: false };
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => {
    state.asked += 1;
    if (state.isSlow) waiting.push(response);
    else response.end(state.isGone ? gone : photos);
  });
  const answer = () => {
    state.isSlow = false;
    for (const response of waiting.splice(0)) response.end(photos);
  };
  stops.push(() => close(server));
  return { url: await listen(server), state, answer };
}

beforeAll(async () => {
  platform = await startPlatform();
  const onLog = (line: string) => {
    if (line.includes('"replayed"')) replayLines.push(line);
  };
  stack = await startStack({ egressUrl: platform.url, onLog });
  stops.push(stack.stop);
  tables = openTables(stack.connection);
  stops.push(async () => tables.client.destroy());
}, 60_000);

afterAll(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});

/** An account with 20 credits and so many more, and that many API keys. */
async function newClient({ bought, apiKeys }: { bought: number; apiKeys: number }) {
  const { account, key } = await seedDevAccount(stack.connection);
  const keys = [key];
  while (keys.length < apiKeys) {
    keys.push(take(await createKey(tables, { account, label: "more" })).key);
  }
  const purchase = { account, kind: "purchase", credits: bought, reference: account } as const;
  if (bought > 0) take(await topUp(tables, purchase));
  let sent = 0;
  const ask = (headers: Record<string, string>, body: object = POST, signal?: AbortSignal) =>
    fetch(`${stack.url}/v1/resolve`, {
      method: "POST",
      headers: {
        ...headers,
        authorization: `Bearer ${keys[sent++ % keys.length]}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  // One after the other, so that the address has sent nothing with keys that may not be good.
  for (const _ of keys) expect((await ask({}, {})).status).toBe(400);
  const balances = async () => {
    const shown = async () => take(await showAccount(tables, account));
    await expect.poll(async () => (await shown()).open_holds, { timeout: 5_000 }).toBe(0);
    const { available, held, charged } = await shown();
    return { available, held, charged };
  };
  const usage = async () => {
    const [from, to] = [new Date(Date.now() - 900_000), new Date(Date.now() + 60_000)];
    return take(await listUsage(tables, { account, from, to, limit: 1_000 })).records;
  };
  return { ask, balances, usage };
}

type Client = Awaited<ReturnType<typeof newClient>>;

const isReplay = ({ headers }: Response) => headers.get("idempotent-replayed") === "true";

/** Two requests under one key at once. Checks that one was charged and what the other got. */
async function sendPair({ ask }: Client, key: string): Promise<"refused" | "repeated"> {
  const headers = { "idempotency-key": key };
  const answers = await Promise.all([ask(headers), ask(headers)]);
  const paid = answers.filter((one) => one.status === 200 && !isReplay(one));
  const [other] = answers.filter((one) => !paid.includes(one));
  expect([key, paid.length]).toEqual([key, 1]);
  expect(paid[0]?.headers.get("x-credits-charged")).toBe("1");
  const body = resolveResponseSchema.parse(await paid[0]?.json());
  expect(body.credits_used).toBe(1);
  if (other?.status === 429) {
    expect(other.headers.get("retry-after")).toBe("1");
    expect(await other.json()).toMatchObject({
      message: expect.stringContaining("with this Idempotency-Key"),
    });
    return "refused";
  }
  expect([other?.status, other?.headers.get("x-credits-charged")]).toEqual([200, "0"]);
  expect(resolveResponseSchema.parse(await other?.json())).toEqual(body);
  return "repeated";
}

describe("two requests of one Idempotency-Key at once", () => {
  it("are charged once, 200 times, and no search of a refused one is paid", async () => {
    const client = await newClient({
      bought: PAIRS,
      apiKeys: Math.ceil((2 * PAIRS) / REQUESTS_A_KEY),
    });
    const [asked, replayed] = [platform.state.asked, replayLines.length];
    const told: string[] = [];
    for (let first = 0; first < PAIRS; first += PAIRS_AT_ONCE) {
      const keys = Array.from({ length: PAIRS_AT_ONCE }, (_, at) => `pair-${first + at}`);
      told.push(...(await Promise.all(keys.map((key) => sendPair(client, key)))));
    }
    const repeated = told.filter((one) => one === "repeated").length;
    expect(told).toHaveLength(PAIRS);
    expect(await client.balances()).toEqual({ available: 20, held: 0, charged: PAIRS });
    const paid = (await client.usage()).filter(({ outcome }) => outcome === "OK");
    expect(paid).toHaveLength(PAIRS);
    expect(new Set(paid.map((record) => record.idempotency_key)).size).toBe(PAIRS);
    // A search for each that is charged, one for each repetition, none for a refused one.
    expect(platform.state.asked - asked).toBe(PAIRS + repeated);
    await expect.poll(() => replayLines.length - replayed).toBe(repeated);
  });
});

describe("a request that was paid", () => {
  it("is repeated ten times a day for nothing, each within the rate limit, then 429", async () => {
    await awayFromTheMinutesEnd();
    const { ask, balances } = await newClient({ bought: 0, apiKeys: 1 });
    const headers = { "idempotency-key": "order-1" };
    const paid = await ask(headers);
    const left = (one: Response) => Number(/r=(\d+)/.exec(one.headers.get("ratelimit") ?? "")?.[1]);
    const answers: Response[] = [];
    while (answers.length < 11) answers.push(await ask(headers));
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429]);
    expect(answers.filter(isReplay)).toHaveLength(10);
    expect(await answers[10]?.json()).toMatchObject({
      code: "RATE_LIMITED",
      message: "Too many repetitions with this Idempotency-Key today.",
    });
    expect(left(paid) - left(answers[9] ?? paid)).toBe(10);
    expect(await balances()).toEqual({ available: 19, held: 0, charged: 1 });
  });
});

describe("a client that gives up after 2 s", () => {
  it("and asks again with its key is charged once, and gets what it paid for", async () => {
    const { ask, balances, usage } = await newClient({ bought: 0, apiKeys: 1 });
    const headers = { "idempotency-key": "order-1" };
    platform.state.isSlow = true;
    const first = ask(headers, POST, AbortSignal.timeout(PATIENCE_MS));
    await expect(first).rejects.toThrow("timeout");
    const asked = platform.state.asked;
    const early = await ask(headers);
    expect([early.status, early.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(platform.state.asked).toBe(asked);
    platform.answer();
    const answers: Response[] = [];
    const again = async () => {
      const response = await ask(headers);
      answers.push(response);
      return response.status;
    };
    await expect.poll(again, { timeout: 5_000, interval: 100 }).toBe(200);
    const body = resolveResponseSchema.parse(await answers.at(-1)?.json());
    expect(body).toMatchObject({ item_count: 1, credits_used: 1 });
    expect(await balances()).toEqual({ available: 19, held: 0, charged: 1 });
    const paid = (await usage()).filter(({ charge }) => charge > 0);
    expect(paid).toMatchObject([{ request_id: body.request_id, charge: 1, outcome: "OK" }]);
  });
});

describe("130 requests at once on a nearly empty account", () => {
  it("get 402 or what the platform says, while refunds come and go under all of them", async () => {
    platform.state.isGone = true;
    const body = { ...POST, max_results: 10 };
    const { ask, balances } = await newClient({ bought: 0, apiKeys: 2 });
    const answers = await Promise.all(Array.from({ length: 130 }, () => ask({}, body)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toEqual(new Set([402, 422]));
    expect(await balances()).toEqual({ available: 20, held: 0, charged: 0 });
    platform.state.isGone = false;
  });

  it("get 200 or 402 and no other answer", async () => {
    const { ask, balances } = await newClient({ bought: 0, apiKeys: 2 });
    const body = { ...POST, max_results: 10 };
    const answers = await Promise.all(Array.from({ length: 130 }, () => ask({}, body)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 402]));
    const served = answers.filter(({ status }) => status === 200);
    const bodies = await Promise.all(served.map((answer) => answer.json()));
    const told = bodies.reduce<number>(
      (sum, one) => sum + resolveResponseSchema.parse(one).credits_used,
      0,
    );
    expect(await balances()).toEqual({ available: 20 - told, held: 0, charged: told });
  });
});
