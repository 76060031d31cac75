import { createServer, type RequestListener } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { close, listen } from "../../infra/local/loopback.ts";
import { type Stack, type StackOptions, startStack } from "../../infra/local/stack.ts";
import { type AccountView, showAccount } from "../../infra/ops/accounts.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { listUsage } from "../../infra/ops/usage.ts";
import { openTables, type Tables } from "../../infra/tables/tables.ts";
import { take } from "../../infra/terminal/answer.ts";
import { resolveResponseSchema } from "../../src/contract/schemas.ts";
import { ACCOUNTS_TO_OPEN, POSTS_TO_OPEN } from "../../src/search/outage.ts";
import { awayFromTheMinutesEnd } from "../support/minutes-end.ts";

/** The whole service over real HTTP: the worker in its runtime, the embedded store and limiter. */

const PHOTOS = "https://x.com/sample_account/status/1900000000000000102";
const ONE_PHOTO = { service: "microblog", url: PHOTOS, max_results: 1 };
const UNTOUCHED = { available: 20, held: 0, charged: 0, open_holds: 0 };

const running: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (let stop = running.pop(); stop !== undefined; stop = running.pop()) await stop();
});

async function start(options: Partial<StackOptions>): Promise<Stack> {
  const stack = await startStack({ onLog: () => {}, ...options });
  running.push(stack.stop);
  return stack;
}

function client(stack: Stack, tables: Tables, { account, key }: { account: string; key: string }) {
  const post = (body: object = ONE_PHOTO, signal: AbortSignal | null = null) =>
    fetch(`${stack.url}/v1/resolve`, {
      signal,
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const many = (count: number, body?: object) =>
    Promise.all(Array.from({ length: count }, () => post(body)));
  /** The account after its last hold has ended, because the release may run after the response. */
  const balance = async () => {
    let shown = take(await showAccount(tables, account));
    for (let tries = 0; shown.open_holds > 0 && tries < 500; tries++) {
      shown = take(await showAccount(tables, account));
    }
    const { available, held, charged, open_holds } = shown satisfies AccountView;
    return { available, held, charged, open_holds };
  };
  const usage = async () => {
    const [from, to] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 60_000)];
    return take(await listUsage(tables, { account, from, to, limit: 1000 })).records;
  };
  return { post, many, balance, usage };
}

async function newClient(stack: Stack) {
  const tables = openTables(stack.connection);
  running.push(async () => tables.client.destroy());
  return client(stack, tables, await seedDevAccount(stack.connection));
}

function statuses(responses: readonly Response[]) {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe("the service under load", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack({ samples: true, onLog: () => {} });
  });

  afterAll(() => stack.stop());

  it("passes 120 of 130 parallel requests of one key and tells 10 how long to wait", async () => {
    await awayFromTheMinutesEnd();
    const { many } = await newClient(stack);
    const responses = await many(130, {});
    expect(statuses(responses)).toEqual({ 400: 120, 429: 10 });
    for (const { headers } of responses.filter(({ status }) => status === 429)) {
      expect(headers.get("ratelimit")).toMatch(/^"default";r=0;t=\d+;q=120;w=60$/);
      expect(headers.get("ratelimit-policy")).toBe('"default";q=120;w=60');
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
    // On a slow machine the limiter may be too late for some responses, which then have no state.
    const left = responses
      .filter(({ status }) => status === 400)
      .flatMap(({ headers }) => /r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1] ?? []);
    expect(new Set(left).size).toBe(left.length);
  });

  it("never takes an account below 0: 50 parallel requests on 20 credits", async () => {
    const { many, balance, usage } = await newClient(stack);
    const responses = await many(50, { ...ONE_PHOTO, max_results: 3 });
    const counts = statuses(responses);
    expect(Object.keys(counts).filter((status) => status !== "200" && status !== "402")).toEqual(
      [],
    );
    const served = counts[200] ?? 0;
    expect(served).toBeGreaterThan(0);
    expect(served * 3).toBeLessThanOrEqual(20);
    const answers = responses.filter(({ status }) => status === 200);
    const bodies = await Promise.all(answers.map((response) => response.json()));
    const told = bodies
      .map((body) => resolveResponseSchema.parse(body).credits_used)
      .reduce((sum, charge) => sum + charge, 0);
    expect(told).toBe(served * 3);
    expect(await balance()).toEqual({
      available: 20 - told,
      held: 0,
      charged: told,
      open_holds: 0,
    });
    expect(await usage()).toHaveLength(served);
  });

  it("serves each of two accounts from its own credits", async () => {
    const [one, other] = [await newClient(stack), await newClient(stack)];
    await one.many(4);
    expect((await one.balance()).charged).toBe(4);
    expect(await other.balance()).toEqual(UNTOUCHED);
  });

  it("charges two credits for each item that a provider has found", async () => {
    const { post, balance } = await newClient(stack);
    const highlight = "https://www.instagram.com/stories/highlights/17900000000000201/";
    const body = { service: "photo-feed-highlight", url: highlight };
    expect(await (await post({ ...body, max_results: 5 })).json()).toMatchObject({
      item_count: 3,
      credits_used: 6,
    });
    expect(await (await post({ ...body, max_results: 2 })).json()).toMatchObject({
      item_count: 2,
      credits_used: 4,
    });
    const story = "https://www.instagram.com/stories/sample_account/3900000000000000101/";
    const one = await post({ service: "photo-feed-story", url: story, max_results: 5 });
    expect(await one.json()).toMatchObject({ item_count: 1, credits_used: 2 });
    expect(await balance()).toEqual({ available: 8, held: 0, charged: 12, open_holds: 0 });
  });

  it("answers 10 MB with 400", async () => {
    const { post, balance } = await newClient(stack);
    expect((await post({ ...ONE_PHOTO, url: "x".repeat(10_000_000) })).status).toBe(400);
    expect(await balance()).toEqual(UNTOUCHED);
  });
});

describe("when the configuration is wrong, the service", () => {
  it.each([
    ["SOURCES", "photo-feed=web", 'configuration: SOURCES: photo-feed: "web" is no source'],
    ["COBALT_URL", "cobalt", "configuration: COBALT_URL: expected url"],
  ])(
    "answers 502 to everything and says once which variable it is: %s",
    async (name, value, why) => {
      const lines: string[] = [];
      const onLog = (line: string) => void lines.push(line);
      const stack = await start({ samples: true, vars: { [name]: value }, onLog });
      const { post, balance } = await newClient(stack);
      for (const response of [await post(), await post(), await fetch(stack.url)]) {
        expect(response.status).toBe(502);
        expect(await response.json()).toMatchObject({ error: true, code: "UPSTREAM_ERROR" });
      }
      const said = lines.filter((line) => line.includes("misconfigured"));
      expect(said).toHaveLength(1);
      expect(JSON.parse(said[0] ?? "")).toMatchObject({ problem: expect.stringContaining(why) });
      expect(lines.filter((line) => line.includes(why.slice(0, 20)))).toHaveLength(1);
      expect(await balance()).toEqual(UNTOUCHED);
    },
  );
});

describe("when the platform keeps failing, the service", () => {
  let asked = 0;
  const egress = createServer((_, response) => {
    asked += 1;
    response.writeHead(403).end();
  });
  const lines: string[] = [];
  let stack: Stack;

  beforeAll(async () => {
    const onLog = (line: string) => void lines.push(line);
    stack = await startStack({ egressUrl: await listen(egress), onLog });
  });

  afterAll(async () => {
    await stack.stop();
    await close(egress);
  });

  it("stops asking for those who have seen it fail, and says so in the log", async () => {
    const urlOf = (id: number) => `https://x.com/sample_account/status/${id}`;
    let posts = 0;
    for (let clients = 1; clients <= ACCOUNTS_TO_OPEN; clients++) {
      const { post } = await newClient(stack);
      for (; posts < (clients * POSTS_TO_OPEN) / ACCOUNTS_TO_OPEN; posts++) {
        expect((await post({ ...ONE_PHOTO, url: urlOf(posts + 1) })).status).toBe(422);
      }
    }
    expect(asked).toBe(POSTS_TO_OPEN);
    const { post, balance } = await newClient(stack);
    expect((await post()).status).toBe(422);
    expect((await post()).status).toBe(502);
    expect(asked).toBe(POSTS_TO_OPEN + 1);
    expect(await balance()).toEqual(UNTOUCHED);
    const said = lines.filter((line) => line.includes('"breaker"')).map((line) => JSON.parse(line));
    expect(said).toMatchObject([{ source: "microblog/syndication", state: "opened" }]);
  });

  it("says at its start which services nothing can resolve", async () => {
    const { post, balance } = await newClient(stack);
    const url = "https://www.instagram.com/stories/someone/1/";
    for (let turn = 0; turn < 2; turn++) {
      const response = await post({ service: "photo-feed-story", url, max_results: 1 });
      expect(response.status).toBe(422);
      const message = "no source configured for this service";
      expect(await response.json()).toMatchObject({ code: "UPSTREAM_REJECTED", message });
    }
    const said = lines.filter((line) => line.includes("service_without_source"));
    expect(said.map((line) => JSON.parse(line))).toContainEqual({
      event: "service_without_source",
      service: "photo-feed-story",
      configure: ["HIKERAPI_KEY"],
    });
    expect(said.filter((line) => line.includes("photo-feed-story"))).toHaveLength(1);
    expect(await balance()).toEqual(UNTOUCHED);
  });
});

describe("when the limiter fails, the service", () => {
  let answer: RequestListener = () => {};
  const limiter = createServer((request, response) => answer(request, response));
  let stack: Stack;

  beforeAll(async () => {
    const vars = { UPSTASH_REDIS_REST_URL: await listen(limiter) };
    stack = await startStack({ samples: true, vars, onLog: () => {} });
  });

  afterAll(async () => {
    await stack.stop();
    await close(limiter);
  });

  it.each<[string, () => unknown]>([
    ["hanging", () => {}],
    [
      "refusing its token",
      () => {
        answer = (_, response) => response.writeHead(401).end("{}");
      },
    ],
    ["unreachable", () => close(limiter)],
  ])("limits by itself while the limiter is %s", async (_, change) => {
    await change();
    const { post, many } = await newClient(stack);
    await awayFromTheMinutesEnd();
    const first = await post();
    expect([first.status, first.headers.get("ratelimit")]).toEqual([200, null]);
    const rest = await many(120, {});
    expect(statuses(rest)).toEqual({ 400: 119, 429: 1 });
    const refused = rest.find(({ status }) => status === 429);
    expect(refused?.headers.get("ratelimit")).toBeNull();
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });
});

describe("when DynamoDB is down, the service", () => {
  it("answers 502 and reserves nothing", async () => {
    const vars = { DYNAMODB_ENDPOINT: "http://127.0.0.1:1" };
    const { post, balance, usage } = await newClient(await start({ samples: true, vars }));
    const response = await post();
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      code: "UPSTREAM_ERROR",
      message: "The request could not be completed.",
    });
    expect(await balance()).toEqual(UNTOUCHED);
    expect(await usage()).toEqual([]);
  });
});

describe("when the platform hangs, the service", () => {
  let platform: RequestListener = () => {};
  const egress = createServer((request, response) => platform(request, response));
  const logs: string[] = [];
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack({
      egressUrl: await listen(egress),
      vars: { RESOLVE_WINDOW_MS: "2000" },
      onLog: (line) => logs.push(line),
    });
  });

  afterAll(async () => {
    await stack.stop();
    await close(egress);
  });

  it("answers 504 within its window and refunds", async () => {
    const { post, balance, usage } = await newClient(stack);
    const startedMs = Date.now();
    const response = await post({ service: "messenger-channel", url: "https://t.me/someone/1" });
    expect(response.status).toBe(504);
    expect(Date.now() - startedMs).toBeLessThan(4_000);
    expect(await balance()).toEqual(UNTOUCHED);
    expect(await usage()).toMatchObject([{ outcome: "UPSTREAM_TIMEOUT", charge: 0 }]);
    const lines = logs.filter((line) => line.includes('"event":"request"'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { status: 504, outcome: "UPSTREAM_TIMEOUT", credits: 0, service: "messenger-channel" },
    ]);
  });

  // The local runtime does not notice a client that leaves before the response. Cloudflare's does.
  it("leaves no hold open when the client goes away", async () => {
    const asked = Promise.withResolvers<() => void>();
    platform = (_, response) => asked.resolve(() => response.writeHead(403).end());
    const { post, balance, usage } = await newClient(stack);
    const leaving = new AbortController();
    const request = post(ONE_PHOTO, leaving.signal);
    const answer = await asked.promise;
    leaving.abort();
    await expect(request).rejects.toThrow();
    expect(await usage()).toEqual([]);
    answer();
    await expect.poll(balance, { timeout: 5_000 }).toEqual(UNTOUCHED);
    expect(await usage()).toMatchObject([{ charge: 0, settled_by: "request" }]);
  });
});
