import { createServer, type RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { close, listen } from "../../infra/local/loopback.ts";
import { openRedis } from "../../infra/local/redis/redis.ts";
import { startUpstash } from "../../infra/local/upstash.ts";
import { GATEWAY_LIMIT } from "../../src/limiter/limiter.ts";
import { upstashLimiter } from "../../src/limiter/upstash.ts";

/** Upstash fails in every way that HTTP allows, and the isolate's own count still limits. */

const LATE_MS = 1_500;

function refuse(status: number, error: string): RequestListener {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error }));
  };
}

function reply(result: unknown): RequestListener {
  return (_, response) => void response.end(JSON.stringify({ result }));
}

const FAULTS: [string, RequestListener][] = [
  ["hangs", () => {}],
  ["resets the connection", (request) => void request.socket.destroy()],
  ["answers 500", refuse(500, "internal")],
  ["answers 503 without JSON", (_, response) => void response.writeHead(503).end("<html>")],
  ["answers 401", refuse(401, "WRONGPASS invalid token")],
  ["answers nonsense", (_, response) => void response.end("null")],
  ["answers no number", reply(["many", 120])],
  ["answers a fraction", reply([1.5, 120])],
  ["answers below zero", reply([-5, 120])],
  ["has not counted the request", reply([0, 120])],
  ["answers another limit", reply([1, 1_000_000])],
  ["answers one number", reply([1])],
  ["answers nothing", reply(null)],
  ["answers an object", reply({ used: 1 })],
];

function limiterAt(url: string) {
  const causes: string[] = [];
  // The middle of a window, so that no test runs into the next one.
  const now = () => Date.UTC(2026, 9, 31, 12, 0, 30);
  const onUnreachable = (cause: string) => void causes.push(cause);
  return {
    limit: upstashLimiter({ url, token: "test", limit: GATEWAY_LIMIT, now, onUnreachable }),
    causes,
  };
}

describe("a limiter that", () => {
  it.each(FAULTS)("%s costs no request and never opens the limit", async (_, listener) => {
    const server = createServer(listener);
    const { limit, causes } = limiterAt(await listen(server));
    const all = Promise.all(Array.from({ length: 130 }, () => limit.count("key_1")));
    // Timers run in their order, however busy the machine is.
    const verdicts = await Promise.race([all, sleep(LATE_MS, [])]);
    await close(server);
    const passed = verdicts.filter(({ allowed }) => allowed);
    expect(passed.map(({ remaining }) => remaining)).toEqual(Array(120).fill(null));
    expect(limit.refusal("key_1")).toMatchObject({ allowed: false, remaining: null });
    expect(causes.length).toBeGreaterThan(0);
  });

  it("forgets the script after a while, then hangs, costs half a second in all", async () => {
    const server = createServer((request, response) => {
      request.on("data", (chunk: unknown) => {
        if (!String(chunk).includes("evalsha")) return;
        setTimeout(() => refuse(400, "NOSCRIPT No matching script.")(request, response), 250);
      });
    });
    const { limit, causes } = limiterAt(await listen(server));
    // A half second for each call would end after 750 ms.
    const late = sleep(650, "later than both calls may");
    const verdict = await Promise.race([limit.count("key_1"), late]);
    expect(verdict).toMatchObject({ allowed: true, remaining: null });
    expect(causes).toHaveLength(1);
    await close(server);
  });

  it("has forgotten the script (NOSCRIPT) is told it again, and counts on", async () => {
    const upstash = await startUpstash({ redis: await openRedis({}), token: "test" });
    const { limit, causes } = limiterAt(upstash.url);
    expect(await limit.count("key_1")).toMatchObject({ allowed: true, remaining: 119 });
    expect(await limit.count("key_1")).toMatchObject({ allowed: true, remaining: 118 });
    expect(causes).toEqual([]);
    await upstash.stop();
  });
});
