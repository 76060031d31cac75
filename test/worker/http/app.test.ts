import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { errorSchema } from "../../../src/contract/schemas.ts";
import worker from "../../../src/index.ts";
import { formatApiKey } from "../../../src/keys/api-key.ts";
import type { Limiter } from "../../../src/limiter/limiter.ts";
import {
  ACCOUNTS,
  addAccount,
  addKey,
  balancesOf,
  createClock,
  LEDGER,
  startService,
  watched,
} from "../../support/service.ts";

const POST_URL = "https://x.com/someone/status/1234567890123456789";
const VALID = { service: "microblog", url: POST_URL, max_results: 1 };
const UNTOUCHED = { available: 20, held: 0, charged: 0, holds: 0 };
const JSON_TYPE = "application/json";

/** A limiter that has no count of its own. */
function answering(count: Limiter["count"]): Limiter {
  return { refusal: () => null, count };
}

/** Checks an answer against the contract: status, code, the same request id in header and body. */
async function refusal(response: Response) {
  const body = errorSchema.parse(await response.json());
  expect(response.headers.get("content-type")).toContain(JSON_TYPE);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("x-request-id")).toBe(body.request_id);
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
  expect(body.message).not.toBe("");
  return { status: response.status, code: body.code, message: body.message };
}

describe("what is not the endpoint", () => {
  it.each([
    "/",
    "/v1",
    "/v1/resolve/",
    "/v2/resolve",
    "/V1/RESOLVE",
    "/v1/%72esolve",
    "/v1%2Fresolve",
    "//v1/resolve",
    "/v1//resolve",
    "/v1/resolve%20",
    "/v1/resolve;x",
    "/x?/v1/resolve",
    "/x/..%2Fv1/resolve",
  ])("is %s: 404", async (path) => {
    const { send } = await startService();
    expect(await refusal(await send(path, { method: "POST" }))).toMatchObject({
      status: 404,
      code: "NOT_FOUND",
    });
  });

  it.each(["/v1/resolve?", "/v1/resolve?x=/y#z"])("is not %s: a query is no path", async (path) => {
    const { send } = await startService();
    expect((await send(path, { method: "POST" })).status).toBe(401);
  });

  it.each(["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"])("is %s: 405", async (method) => {
    const { send } = await startService();
    const response = await send("/v1/resolve", { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
    if (method !== "HEAD") {
      expect(await refusal(response)).toMatchObject({ code: "METHOD_NOT_ALLOWED" });
    }
  });
});

describe("authentication", () => {
  const stranger = formatApiKey(new Uint8Array(32).fill(9));
  const mistyped = stranger.replace(/.$/, (last) => (last === "0" ? "1" : "0"));

  const SCHEME = /^The Authorization header must have the scheme Bearer: /;
  const SHAPE = /^This has not the shape of an API key: /;
  const NOT_ACCEPTED = /^This API key is not accepted: /;

  it.each([
    ["an empty header", "", /^The Authorization header is missing\. /],
    ["another scheme", `Basic ${stranger}`, SCHEME],
    ["a key without a scheme", stranger, SCHEME],
    ["a scheme that begins alike", `Bearers ${stranger}`, SCHEME],
    ["no key", "Bearer", SHAPE],
    ["two keys", `Bearer ${stranger} ${stranger}`, SHAPE],
    ["another prefix", `Bearer ${stranger.replace("live", "test")}`, SHAPE],
    ["a key that is cut", `Bearer ${stranger.slice(0, -1)}`, SHAPE],
    ["a mistyped key", `Bearer ${mistyped}`, SHAPE],
    ["an unknown key", `Bearer ${stranger}`, NOT_ACCEPTED],
  ])("refuses %s and says what the request shows", async (_, authorization, message) => {
    const { resolve, engine, logs } = await startService();
    const response = await resolve(VALID, { authorization });
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(response.headers.get("ratelimit")).toBeNull();
    const answer = await refusal(response);
    expect(answer).toMatchObject({ status: 401, code: "API_KEY_INVALID" });
    expect(answer.message).toMatch(message);
    const told = answer.message + JSON.stringify(logs);
    expect(told).not.toContain(stranger.slice(9, 40));
    expect(balancesOf(engine)).toEqual(UNTOUCHED);
  });

  it("says that the header is missing where there is none", async () => {
    const { send } = await startService();
    const { status, message } = await refusal(await send("/v1/resolve", { method: "POST" }));
    expect([status, message]).toEqual([401, expect.stringMatching(/header is missing/)]);
  });

  it.each([`Bearer ${mistyped}`, "Bearer svc_live_", "Bearer x"])(
    "asks nobody about a key that cannot be one: %s",
    async (authorization) => {
      const asked: string[] = [];
      const ask = async () => {
        asked.push("store");
        return { outcome: "unknown", cause: "asked" } as const;
      };
      const { resolve } = await startService({
        limiter: answering(() => Promise.reject(new Error("asked"))),
        addressLimiter: async () => asked.push("address") > 0,
        dynamo: { read: ask, put: ask, update: ask, query: ask },
      });
      expect((await resolve(VALID, { authorization })).status).toBe(401);
      expect(asked).toEqual([]);
    },
  );

  it.each(["inactive", "revoked"])("refuses a key that is %s", async (status) => {
    const { resolve, engine } = await startService();
    const key = await addKey(engine.dynamo, "acct_test", { status, seed: 2 });
    expect((await resolve(VALID, { authorization: `Bearer ${key}` })).status).toBe(401);
  });

  it.each([{ verified: false }, { status: "suspended" }])(
    "refuses the key of an account with %o and reserves nothing",
    async (state) => {
      const { resolve, engine } = await startService();
      const account = await addAccount(engine.dynamo, { account: "acct_other", ...state });
      const key = await addKey(engine.dynamo, account, { seed: 3 });
      const response = await resolve(VALID, { authorization: `Bearer ${key}` });
      expect(await refusal(response)).toMatchObject({ status: 401, code: "API_KEY_INVALID" });
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(balancesOf(engine, account)).toEqual(UNTOUCHED);
    },
  );

  it("takes the scheme's name in any case", async () => {
    const { resolve, key } = await startService();
    expect((await resolve("{}", { authorization: `bEARER ${key}` })).status).toBe(400);
  });

  it("answers 502 when the store cannot be asked, and reserves nothing", async () => {
    const { engine } = await startService();
    const dynamo = {
      ...engine.dynamo,
      read: async () => ({ outcome: "unknown" as const, cause: "down" }),
    };
    const { resolve } = await startService({ dynamo });
    expect(await refusal(await resolve(VALID))).toMatchObject({
      status: 502,
      code: "UPSTREAM_ERROR",
      message: "The request could not be completed.",
    });
  });
});

describe("the rate limit", () => {
  const now = createClock().now;
  const resetMs = now() + 30_500;
  const over = answering(async () => ({ allowed: false, remaining: 0, resetMs }));

  it("shows its state on every response past it", async () => {
    const { resolve } = await startService({
      now,
      limiter: answering(async () => ({ allowed: true, remaining: 7, resetMs })),
    });
    const { headers } = await resolve("{}");
    expect(headers.get("ratelimit")).toMatch(/^"default";r=7;t=31;q=120;w=60$/);
    expect(headers.get("ratelimit-policy")).toBe('"default";q=120;w=60');
    expect(headers.get("retry-after")).toBeNull();
  });

  it("answers 429 with the time to wait, before it looks at the body", async () => {
    const { resolve, engine } = await startService({ now, limiter: over });
    const response = await resolve("not json");
    expect(await refusal(response)).toMatchObject({ status: 429, code: "RATE_LIMITED" });
    expect(response.headers.get("retry-after")).toBe("31");
    expect(response.headers.get("ratelimit")).toMatch(/^"default";r=0;t=31;q=120;w=60$/);
    expect(balancesOf(engine)).toEqual(UNTOUCHED);
  });

  it("loses to a 401", async () => {
    const { resolve } = await startService({ now, limiter: over });
    const authorization = `Bearer ${formatApiKey(new Uint8Array(32).fill(9))}`;
    expect((await resolve(VALID, { authorization })).status).toBe(401);
  });

  it("never asks for less than a second of waiting", async () => {
    const late = answering(async () => ({
      allowed: false,
      remaining: 0,
      resetMs: now() - 5,
    }));
    const { resolve } = await startService({ now, limiter: late });
    expect((await resolve(VALID)).headers.get("retry-after")).toBe("1");
  });

  it("leaves its headers out when it was out of reach", async () => {
    const alone = answering(async () => ({ allowed: false, remaining: null, resetMs }));
    const { resolve } = await startService({ now, limiter: alone });
    const { status, headers } = await resolve(VALID);
    expect([status, headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([
      429,
      null,
      null,
    ]);
    expect(headers.get("retry-after")).toBe("31");
  });
});

describe("validation", () => {
  const LONG = `https://x.com/someone/status/1?${"q".repeat(2048)}`;
  const urls = {
    "of 2049 characters": LONG.slice(0, 2049),
    "with user info": "https://user:pass@x.com/someone/status/1",
    "with a port": "https://x.com:8443/someone/status/1",
    "with an IP": "https://127.0.0.1/someone/status/1",
    "of another scheme": "javascript:alert(1)",
    "on a look-alike host": "https://x.com.evil.example/someone/status/1",
    "on a full-width host": "https://ｘ.com/someone/status/1",
    "that is empty": "",
  };
  const bodies: [string, unknown, RegExp][] = [
    ["an empty body", "", /^body: .*missing/],
    ["null", null, /^body: /],
    ["an array", [], /^body: /],
    ["a string", '"x"', /^body: /],
    ["a truncated object", '{"service":"microblog"', /^body: .*JSON/],
    ["an unknown field", { ...VALID, extra: 1 }, /^body: .*"extra"/],
    ["__proto__", `{"__proto__":{},"service":"microblog","url":"${POST_URL}"}`, /^body: /],
    ["no service", { url: POST_URL }, /^service: /],
    ["a service that is no string", { ...VALID, service: 5 }, /^service: /],
    ["no url", { service: "microblog" }, /^url: /],
    ["a url that is no string", { ...VALID, url: ["x"] }, /^url: /],
    ...[0, 21, 1.5, "5", null, -1, 1e99, true].map((value): [string, unknown, RegExp] => [
      `max_results ${JSON.stringify(value)}`,
      { ...VALID, max_results: value },
      /^max_results: must be an integer from 1 to 20$/,
    ]),
    ...Object.entries(urls).map(([what, url]): [string, unknown, RegExp] => [
      `a URL ${what}`,
      { ...VALID, url },
      /^url: /,
    ]),
    [
      "a story URL sent as photo-feed",
      { service: "photo-feed", url: "https://www.instagram.com/stories/someone/123/" },
      /^url: .*photo-feed-story/,
    ],
  ];

  it.each(bodies)("refuses %s", async (_, body, message) => {
    const { resolve, engine } = await startService();
    const answer = await refusal(await resolve(body));
    expect(answer).toMatchObject({ status: 400, code: "URL_INVALID" });
    expect(answer.message).toMatch(message);
    expect(balancesOf(engine)).toEqual(UNTOUCHED);
    expect(engine.scan(LEDGER)).toEqual([]);
  });

  it.each([
    { service: "video-hub", url: POST_URL },
    { service: "", url: 5, extra: true, max_results: 99 },
    { service: "MICROBLOG" },
  ])("answers %j with SERVICE_UNSUPPORTED, whatever else is wrong", async (body) => {
    const { resolve } = await startService();
    expect(await refusal(await resolve(body))).toMatchObject({
      status: 400,
      code: "SERVICE_UNSUPPORTED",
    });
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
    "refuses the content type %j",
    async (type) => {
      const { resolve } = await startService();
      const answer = await refusal(await resolve(VALID, { "content-type": type }));
      expect(answer).toMatchObject({ status: 400, code: "URL_INVALID" });
      expect(answer.message).toMatch(/Content-Type/);
    },
  );

  it("accepts parameters of the content type", async () => {
    const { resolve } = await startService();
    const type = "Application/JSON; charset=utf-8";
    expect((await refusal(await resolve([], { "content-type": type }))).message).toMatch(/object/);
  });

  it.each(["16385", "10", undefined])(
    "cuts a body at 16 KiB, with Content-Length %s",
    async (length) => {
      const { app, key } = await startService();
      let sent = 0;
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 1024;
          controller.enqueue(new Uint8Array(1024).fill(32));
        },
      });
      const headers = new Headers({
        authorization: `Bearer ${key}`,
        "content-type": JSON_TYPE,
        ...(length !== undefined && { "content-length": length }),
      });
      const request = new Request("https://api.example.com/v1/resolve", {
        method: "POST",
        headers,
        body: endless,
      });
      const answer = await refusal(await app.fetch(request));
      expect(answer).toEqual({
        status: 400,
        code: "URL_INVALID",
        message: "body: must be at most 16 KiB",
      });
      expect(sent).toBeLessThan(64 * 1024);
    },
  );

  it("refuses 10 MB", async () => {
    const { resolve, engine } = await startService();
    const answer = await refusal(await resolve({ ...VALID, url: "x".repeat(10_000_000) }));
    expect(answer.message).toBe("body: must be at most 16 KiB");
    expect(balancesOf(engine)).toEqual(UNTOUCHED);
  });

  it("refuses bytes that are no UTF-8", async () => {
    const { send, key } = await startService();
    const response = await send("/v1/resolve", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": JSON_TYPE },
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });
    expect((await refusal(response)).message).toBe("body: must be UTF-8");
  });
});

describe("the log", () => {
  it("has one line a request, without the key", async () => {
    const { resolve, logs, key } = await startService();
    const response = await resolve({ ...VALID, max_results: 0 });
    expect(logs).toEqual([
      {
        event: "request",
        request_id: response.headers.get("x-request-id"),
        status: 400,
        outcome: "URL_INVALID",
        account: "acct_test",
        key_id: expect.stringMatching(/^key_[0-9a-f]{24}$/),
        cause: "max_results: must be an integer from 1 to 20",
        credits: 0,
        authenticate_ms: expect.any(Number),
        limit_ms: expect.any(Number),
        total_ms: expect.any(Number),
      },
    ]);
    expect(JSON.stringify(logs)).not.toContain(key.slice(9, 40));
  });

  it("does not repeat names that a client made up", async () => {
    const { resolve, logs } = await startService();
    const answer = await refusal(await resolve({ ...VALID, "hunter2 of someone": 1 }));
    expect(answer.message).toContain("hunter2 of someone");
    expect(logs).toMatchObject([{ cause: "body: has an unknown field" }]);
    expect(JSON.stringify(logs)).not.toContain("hunter2");
  });

  it("tells an unforeseen exception from its request, the client nothing", async () => {
    const { resolve, logs, engine } = await startService({
      limiter: answering(() => Promise.reject(new Error("boom"))),
    });
    const answer = await refusal(await resolve(VALID));
    expect(answer).toEqual({
      status: 502,
      code: "UPSTREAM_ERROR",
      message: "The request could not be completed.",
    });
    expect(logs).toMatchObject([{ cause: expect.stringContaining("boom"), status: 502 }]);
    expect(engine.scan(ACCOUNTS)).toHaveLength(1);
    expect(balancesOf(engine)).toEqual(UNTOUCHED);
  });
});

describe("every response", () => {
  const STANDING = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'",
    "strict-transport-security": "max-age=31536000; includeSubDomains",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  };

  it.each([
    [404, "/", { method: "GET" }],
    [405, "/v1/resolve", { method: "GET" }],
    [401, "/v1/resolve", { method: "POST" }],
  ])("of status %i carries the security headers", async (status, path, init) => {
    const { send } = await startService();
    const response = await send(path, init);
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject(STANDING);
  });

  it("of status 400 and 502 carries them", async () => {
    const { resolve } = await startService();
    for (const body of ["{}", VALID]) {
      expect(Object.fromEntries((await resolve(body)).headers)).toMatchObject(STANDING);
    }
  });

  it("of a worker without its configuration carries them", async () => {
    const url = "https://api.example.com/v1/resolve";
    const request = new Request<unknown, IncomingRequestCfProperties>(url, { method: "POST" });
    const response = await watched(worker).fetch(request, {}, createExecutionContext());
    expect(await refusal(response)).toMatchObject({ status: 502, code: "UPSTREAM_ERROR" });
    expect(Object.fromEntries(response.headers)).toMatchObject(STANDING);
  });

  it("names an hour at most as the time to wait", async () => {
    const resetMs = Date.now() + 86_400_000;
    const limiter = answering(async () => ({ allowed: false, remaining: 0, resetMs }));
    const { resolve } = await startService({ limiter });
    expect((await resolve(VALID)).headers.get("retry-after")).toBe("3600");
  });
});
