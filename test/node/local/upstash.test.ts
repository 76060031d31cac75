import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { afterEach, describe, expect, test } from "vitest";
import { openRedis } from "../../../infra/local/redis/redis.ts";
import { startUpstash } from "../../../infra/local/upstash.ts";

const TOKEN = "token-of-the-test";
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** With `REDIS_URL` set, the tests run on a real server. */
async function start(now?: () => number) {
  const url = now === undefined ? process.env.REDIS_URL : undefined;
  const redis = await openRedis({ url, ...(now && { now }) });
  const endpoint = await startUpstash({ redis, token: TOKEN });
  stops.push(endpoint.stop, redis.stop);
  const client = new Redis({ url: endpoint.url, token: TOKEN, retry: false });
  await client.del("a", "b", "n");
  return { endpoint, client };
}

function post(url: string, body: string, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
  });
}

describe("the limiter on the endpoint", () => {
  test("130 parallel requests of one key pass 120 times, and another key is not touched", async () => {
    const { client } = await start();
    const limiter = new Ratelimit({
      redis: client,
      limiter: Ratelimit.fixedWindow(120, "60 s"),
      ephemeralCache: false,
      prefix: `test-${crypto.randomUUID()}`,
    });
    const replies = await Promise.all(Array.from({ length: 130 }, () => limiter.limit("one")));
    const passed = replies.filter((reply) => reply.success);
    // If the minute turned meanwhile, the requests fell into two windows and all may pass.
    const windows = new Set(replies.map((reply) => reply.reset)).size;
    expect(passed.length).toBe(windows === 1 ? 120 : 130);
    expect((await limiter.limit("two")).remaining).toBe(119);
    await limiter.resetUsedTokens("two");
    expect((await limiter.getRemaining("two")).remaining).toBe(120);
  });

  test("the sliding window's script runs too", async () => {
    const { client } = await start();
    const limiter = new Ratelimit({
      redis: client,
      limiter: Ratelimit.slidingWindow(3, "1 h"),
      prefix: `test-${crypto.randomUUID()}`,
      ephemeralCache: false,
    });
    const replies = [];
    for (let at = 0; at < 4; at += 1) replies.push((await limiter.limit("one")).success);
    expect(replies).toEqual([true, true, true, false]);
  });
});

describe("scripts", () => {
  const SCRIPT = "#!lua flags=allow-key-locking\nreturn {KEYS[1], ARGV[1], 1.9, true, false, 7}";
  const UNSEEN = "0123456789012345678901234567890123456789";

  test("EVALSHA answers to the original text's SHA-1 once the script was seen", async () => {
    const { client } = await start();
    await expect(client.evalsha(UNSEEN, [], [])).rejects.toThrow("NOSCRIPT");
    const script = `${SCRIPT} -- ${crypto.randomUUID()}`;
    const hash = Buffer.from(
      await crypto.subtle.digest("SHA-1", new TextEncoder().encode(script)),
    ).toString("hex");
    await expect(client.evalsha(hash, ["k"], ["v"])).rejects.toThrow("NOSCRIPT");
    expect(await client.scriptLoad(script)).toBe(hash);
    expect(await client.evalsha(hash, ["k"], ["v"])).toEqual(["k", "v", 1, 1, null, 7]);
    expect(await client.eval(SCRIPT, ["é"], ["OK"])).toEqual(["é", "OK", 1, 1, null, 7]);
  });

  test("an error inside a script reaches the client, or the script when it asked with pcall", async () => {
    const { client } = await start();
    await client.set("a", "text");
    const raising = client.eval("return redis.call('INCRBY', KEYS[1], 1)", ["a"], []);
    await expect(raising).rejects.toThrow("ERR value is not an integer");
    const script = "local r = redis.pcall('INCRBY', KEYS[1], 1) return r.err ~= nil and 'caught'";
    expect(await client.eval(script, ["a"], [])).toBe("caught");
    await expect(client.eval("return redis.error_reply('NO way')", [], [])).rejects.toThrow(
      "NO way",
    );
    await expect(client.eval("return (", [], [])).rejects.toThrow("ERR");
    expect(await client.eval("return redis.call('GET', KEYS[1]) or 'none'", ["b"], [])).toBe(
      "none",
    );
  });
});

describe("commands", () => {
  test("a key is gone when its time has come, whatever looks at it", async () => {
    let now = 1_000_000;
    const { client } = await start(() => now);
    await client.set("a", "1", { px: 500 });
    await client.set("b", "1");
    await client.pexpire("b", 1500);
    expect([await client.pttl("a"), await client.ttl("b"), await client.ttl("n")]).toEqual([
      500, 2, -2,
    ]);
    now += 499;
    expect(await client.get("a")).toBe(1);
    now += 1;
    expect(await client.get("a")).toBeNull();
    expect(await client.exists("a", "b")).toBe(1);
    expect(await client.incrby("a", 5)).toBe(5);
    expect(await client.ttl("a")).toBe(-1);
    now += 1000;
    expect(await client.scan(0, { match: "*" })).toEqual(["0", ["a"]]);
  });

  test("SET honours NX and XX", async () => {
    const { client } = await start();
    expect(await client.set("a", "1", { xx: true })).toBeNull();
    expect(await client.set("a", "1", { nx: true })).toBe("OK");
    expect(await client.set("a", "2", { nx: true })).toBeNull();
    expect(await client.get("a")).toBe(1);
  });

  test("a pipeline reports each outcome, and so does a transaction", async () => {
    const { client } = await start();
    const pipeline = client.pipeline().set("a", "x").incr("a").get("a");
    expect(await pipeline.exec({ keepErrors: true })).toMatchObject([
      { result: "OK" },
      { error: expect.stringContaining("ERR") },
      { result: "x" },
    ]);
    expect(await client.multi().incr("n").incr("n").exec()).toEqual([1, 2]);
  });
});

describe("the endpoint refuses", () => {
  test.each([
    { what: "another token", status: 401, body: '["PING"]', token: "other" },
    { what: "no JSON", status: 400, body: "PING" },
    { what: "an empty command", status: 400, body: "[]" },
    { what: "a null argument", status: 400, body: '["GET", null]' },
    { what: "an unknown command", status: 400, body: '["HELLO_THERE"]' },
    { what: "another path", status: 404, body: '["PING"]', path: "/other" },
  ])("$what with $status", async ({ status, body, path = "/", token = TOKEN }) => {
    const { endpoint } = await start();
    const headers = { authorization: `Bearer ${token}` };
    const reply = await post(`${endpoint.url}${path}`, body, headers);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toEqual({ error: expect.any(String) });
  });

  test("nothing of a plain command, whose reply is base64 only when asked for", async () => {
    const { endpoint } = await start();
    const plain = await post(endpoint.url, '["PING"]');
    expect([plain.status, await plain.json()]).toEqual([200, { result: "PONG" }]);
    const encoded = await post(endpoint.url, '["PING"]', { "upstash-encoding": "base64" });
    expect(await encoded.json()).toEqual({ result: "UE9ORw==" });
  });
});
