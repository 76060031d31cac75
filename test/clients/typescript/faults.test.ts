import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  DeadlineError,
  PublicMediaClient,
  PublicMediaError,
  RateLimitedError,
} from "../../../infra/clients/typescript/src/index.ts";
import { close, listen } from "../../../infra/local/loopback.ts";
import { SAMPLES_FOLDER, type Stack, startStack } from "../../../infra/local/stack.ts";
import { newAccount } from "./account.ts";
import { type Fault, type FaultProxy, startFaultProxy } from "./fault-proxy.ts";

/** The client, the real service, and between them a connection that fails. */

const ALBUM = "https://t.me/sample_channel/110";
/** Two items at two credits each. */
const TWO = { maxResults: 2 };
const PAID = { available: 16, held: 0, charged: 4 };
const UNPAID = { available: 20, held: 0, charged: 0 };

const stops: (() => Promise<void>)[] = [];
let stack: Stack;
let proxy: FaultProxy;
const platform = { delayMs: 0, isBroken: false };

beforeAll(async () => {
  const [album, gone] = await Promise.all(
    ["album", "not-found"].map((name) =>
      readFile(`${SAMPLES_FOLDER}messenger-channel-${name}.html`, "utf8"),
    ),
  );
  const server = createServer(async ({ url }, response) => {
    await pause(platform.delayMs);
    response.writeHead(platform.isBroken ? 503 : 200).end(url?.includes("404") ? gone : album);
  });
  stops.push(() => close(server));
  const egressUrl = await listen(server);
  stack = await startStack({ egressUrl, onLog: () => undefined });
  stops.push(stack.stop);
  proxy = await startFaultProxy(stack.url);
  stops.push(proxy.stop);
});
afterAll(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});
beforeEach(() => {
  Object.assign(platform, { delayMs: 0, isBroken: false });
  proxy.faults.length = 0;
  proxy.received.length = 0;
});

async function newClient(options = {}) {
  const { key, balance } = await newAccount(stack);
  return { balance, client: clientOf(key, options) };
}

function clientOf(apiKey: string, options = {}) {
  return new PublicMediaClient({ apiKey, baseUrl: proxy.url, ...options });
}

function keysSent(): number {
  return new Set(proxy.received.map((headers) => headers["idempotency-key"])).size;
}

async function failure(call: Promise<unknown>): Promise<PublicMediaError> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof PublicMediaError) return error;
  throw new Error("no failure of a call", { cause: error });
}

describe("a call whose connection fails", () => {
  const lost: [Fault, boolean][] = [
    ["lose request", false],
    ["lose answer", true],
    ["cut answer", true],
    ["withhold answer", true],
  ];
  it.each(lost)("is charged once when the attempt before did: %s", async (fault, isReplay) => {
    const { client, balance } = await newClient({ timeoutMs: 3_000 });
    proxy.faults.push(fault);
    const answer = await client.resolve(ALBUM, TWO);
    expect(answer).toMatchObject({ isReplay, attempts: 2, post: { item_count: 2 } });
    expect(answer.credits.charged).toBe(isReplay ? 0 : 4);
    expect(answer.post.credits_used).toBe(4);
    expect(await balance()).toEqual(PAID);
    expect(keysSent()).toBe(1);
  });

  it("is charged once when the service still works on the first attempt", async () => {
    const { client, balance } = await newClient();
    platform.delayMs = 1_500;
    proxy.faults.push("lose connection");
    const answer = await client.resolve(ALBUM, TWO);
    expect(answer).toMatchObject({ isReplay: true, credits: { charged: 0 } });
    expect(answer.attempts).toBeGreaterThan(2);
    expect(await balance()).toEqual(PAID);
    expect(keysSent()).toBe(1);
  });

  it("is charged once after several losses, and by a later call with the same key", async () => {
    const { client, balance } = await newClient({ attemptsMax: 3 });
    proxy.faults.push("lose answer", "cut answer", "lose answer");
    const error = await failure(client.resolve(ALBUM, TWO));
    expect(error).toMatchObject({ name: "ConnectionError", attempts: 3 });
    const { idempotencyKey } = error;
    if (idempotencyKey === null) throw new Error("no key");
    const answer = await client.resolve(ALBUM, { ...TWO, idempotencyKey });
    expect(answer).toMatchObject({ isReplay: true, credits: { charged: 0 } });
    expect(await balance()).toEqual(PAID);
  });
});

describe("a call that is answered with", () => {
  it.each([429, 502, 504])("%i before the service is retried, and charged once", async (status) => {
    const { client, balance } = await newClient();
    const headers = { "Retry-After": "1" };
    proxy.faults.push({ status, headers }, { status });
    const began = performance.now();
    expect(await client.resolve(ALBUM, TWO)).toMatchObject({ isReplay: false, attempts: 3 });
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(await balance()).toEqual(PAID);
    expect(keysSent()).toBe(1);
  });

  it("the service's own 502 is retried, and costs nothing while the platform fails", async () => {
    const { client, balance } = await newClient({ attemptsMax: 2 });
    platform.isBroken = true;
    const error = await failure(client.resolve(ALBUM, TWO));
    expect(error).toMatchObject({ status: 502, attempts: 2 });
    expect(proxy.received).toHaveLength(2);
    expect(await balance()).toEqual(UNPAID);
  });

  it("400, 401 or 402 is never retried, and costs nothing", async () => {
    const { client, balance } = await newClient();
    const invalid = await failure(client.resolve(ALBUM, { service: "pinboard" }));
    const unknown = await failure(clientOf("svc_live_wrong").resolve(ALBUM));
    const poor = await failure(client.resolve(ALBUM, { maxResults: 20 }));
    expect([invalid.name, unknown.name, poor.name]).toEqual([
      ...["UrlInvalidError", "ApiKeyInvalidError", "InsufficientCreditsError"],
    ]);
    expect(proxy.received).toHaveLength(3);
    expect(await balance()).toEqual(UNPAID);
  });

  it("422 is never retried, and costs nothing", async () => {
    const { client, balance } = await newClient();
    const error = await failure(client.resolve("https://t.me/sample_channel/404", TWO));
    expect(error).toMatchObject({ name: "MediaNotFoundError", attempts: 1 });
    expect(await balance()).toEqual(UNPAID);
  });

  it("the real rate limit fails at once where the reset comes after the deadline", async () => {
    const { key, balance } = await newAccount(stack);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    for (let sent = 0; sent < 240; sent++) {
      const { status } = await fetch(`${stack.url}/v1/resolve`, { method: "POST", headers });
      if (status === 429) break;
    }
    const error = await failure(clientOf(key).resolve(ALBUM, { ...TWO, deadlineMs: 900 }));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ attempts: 1, retryAfterSeconds: expect.any(Number) });
    expect(await balance()).toEqual(UNPAID);
  });
});

describe("a deadline", () => {
  it("ends a call whose answers never come, and the account is charged once at most", async () => {
    const { client, balance } = await newClient({ timeoutMs: 1_000 });
    proxy.faults.push(...Array<Fault>(50).fill("withhold answer"));
    const began = performance.now();
    const error = await failure(client.resolve(ALBUM, { ...TWO, deadlineMs: 2_500 }));
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(["DeadlineError", "ConnectionError"]).toContain(error.name);
    expect(error.attempts).toBeGreaterThan(1);
    expect(await balance()).toEqual(PAID);
  });

  it("ends a call whose only attempt is slow", async () => {
    const { client } = await newClient();
    platform.delayMs = 3_000;
    const error = await failure(client.resolve(ALBUM, { ...TWO, deadlineMs: 300 }));
    expect(error).toBeInstanceOf(DeadlineError);
    expect(proxy.received).toHaveLength(1);
  });
});

describe("many calls over a connection that fails", () => {
  it("are each charged once, whatever is lost", async () => {
    const { key, balance } = await newAccount(stack, { bought: 200 });
    const losses: Fault[] = ["lose answer", "pass", "lose request", "cut answer", { status: 502 }];
    proxy.faults.push(...Array.from({ length: 6 }, () => losses).flat());
    const client = clientOf(key, { attemptsMax: 10 });
    const urls = Array<string>(15).fill(ALBUM);
    const answers: boolean[] = [];
    for await (const one of client.resolveMany(urls, { ...TWO, concurrency: 5 })) {
      answers.push(one.ok);
    }
    expect(answers).toEqual(Array(15).fill(true));
    expect(proxy.received.length).toBeGreaterThan(30);
    expect(keysSent()).toBe(15);
    expect(await balance()).toEqual({ available: 160, held: 0, charged: 60 });
  });
});
