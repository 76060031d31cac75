import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { close, listen } from "../../infra/local/loopback.ts";
import { openRedis } from "../../infra/local/redis/redis.ts";
import { startUpstash, type UpstashEndpoint } from "../../infra/local/upstash.ts";
import type { Limiter, Verdict } from "../../src/limiter/limiter.ts";
import { GATEWAY_LIMIT } from "../../src/limiter/limiter.ts";
import { upstashLimiter } from "../../src/limiter/upstash.ts";

/** The limiter with Upstash's own client and scripts against the embedded engine. */

const NOON = Date.UTC(2026, 9, 31, 12);
const TOKEN = "test";

let upstash: UpstashEndpoint;
let causes: string[];

beforeAll(async () => {
  upstash = await startUpstash({ redis: await openRedis({}), token: TOKEN });
});

afterAll(() => upstash.stop());

beforeEach(() => {
  causes = [];
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
});

afterEach(() => {
  vi.useRealTimers();
});

function limiter(url = upstash.url): Limiter {
  const now = () => Date.now();
  return upstashLimiter({
    url,
    token: TOKEN,
    limit: GATEWAY_LIMIT,
    now,
    onUnreachable: (cause) => causes.push(cause),
  });
}

/** A few at once: on a busy machine many would not all be answered within the limiter's half second. */
async function many(limit: Limiter, keyId: string, count: number): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  while (verdicts.length < count) {
    const left = Math.min(10, count - verdicts.length);
    verdicts.push(...(await Promise.all(Array.from({ length: left }, () => limit.count(keyId)))));
  }
  return verdicts;
}

const allowed = (verdicts: readonly Verdict[]) => verdicts.filter((one) => one.allowed).length;

describe("the limiter", () => {
  it("lets 120 of 130 through and serves again in the next window", async () => {
    const limit = limiter();
    const verdicts = await many(limit, "key_window", 130);
    expect(allowed(verdicts)).toBe(120);
    expect(verdicts.at(-1)).toEqual({ allowed: false, remaining: 0, resetMs: NOON + 60_000 });
    vi.setSystemTime(NOON + 59_999);
    expect((await limit.count("key_window")).allowed).toBe(false);
    vi.setSystemTime(NOON + 60_000);
    expect(await limit.count("key_window")).toMatchObject({ allowed: true, remaining: 119 });
    expect(causes).toEqual([]);
  });

  it("counts what several isolates let through together", async () => {
    const isolates = [limiter(), limiter(), limiter()];
    const verdicts = await Promise.all(isolates.map((limit) => many(limit, "key_shared", 50)));
    expect(allowed(verdicts.flat())).toBe(120);
  });

  it("refuses by itself, without asking, once its own count is at the limit", async () => {
    const limit = limiter();
    expect(limit.refusal("key_own")).toBeNull();
    await many(limit, "key_own", 119);
    expect(limit.refusal("key_own")).toBeNull();
    await limit.count("key_own");
    const spent = { allowed: false, remaining: 0, resetMs: NOON + 60_000 };
    expect(limit.refusal("key_own")).toEqual(spent);
    vi.setSystemTime(NOON + 60_000);
    expect(limit.refusal("key_own")).toBeNull();
  });

  it("asks nobody over its own count, even while Upstash is out of reach", async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.writeHead(500).end("{}");
    });
    const limit = limiter(await listen(server));
    for (let at = 0; at < 120; at++) await limit.count("key_quiet");
    expect(asked).toBe(120);
    expect(allowed(await many(limit, "key_quiet", 80))).toBe(0);
    await close(server);
    expect(asked).toBe(120);
  });

  it("counts each key by itself", async () => {
    const limit = limiter();
    await many(limit, "key_one", 130);
    expect((await limit.count("key_other")).allowed).toBe(true);
  });

  it("limits by itself while Upstash is out of reach, and says so without the key's name", async () => {
    const limit = limiter("http://127.0.0.1:1");
    const verdicts = await many(limit, "key_alone", 130);
    expect(allowed(verdicts)).toBe(120);
    const passed = verdicts.filter((one) => one.allowed);
    expect(passed.map(({ remaining }) => remaining)).toEqual(Array(120).fill(null));
    expect(limit.refusal("key_alone")).toMatchObject({ allowed: false, remaining: null });
    vi.setSystemTime(NOON + 60_000);
    expect((await limit.count("key_alone")).allowed).toBe(true);
    expect(causes.length).toBeGreaterThan(0);
  });

  it("does not open anew when Upstash falls silent in the middle of a window", async () => {
    const own = await startUpstash({ redis: await openRedis({}), token: TOKEN });
    const limit = limiter(own.url);
    expect(allowed(await many(limit, "key_midway", 100))).toBe(100);
    await own.stop();
    expect(allowed(await many(limit, "key_midway", 30))).toBe(20);
  });
});
