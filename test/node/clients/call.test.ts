import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import * as library from "../../../infra/clients/typescript/src/index.ts";
import { close, listen, readBody } from "../../../infra/local/loopback.ts";
import { ERRORS } from "../../../src/contract/errors.ts";

const { PublicMediaClient } = library;
const KEY = "svc_live_secret";
const URL_OF_POST = "https://x.com/user/status/12";
const REQUEST_ID = "01a1fc0d-aedf-765a-bcda-c8e545d61d29";
const POST = {
  ok: true,
  service: "microblog",
  source_url: URL_OF_POST,
  item_count: 1,
  items: [{ type: "image", url: "https://pbs.twimg.com/media/a.jpg" }],
  metadata: { title: null, author: "user", caption: null },
  request_id: REQUEST_ID,
  credits_used: 1,
};

type Step = (response: ServerResponse) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) =>
    void response.writeHead(status, headers).end(JSON.stringify(body));
const refuse = (code: keyof typeof ERRORS, headers: Record<string, string> = {}) => {
  const { status, message } = ERRORS[code];
  return json(status, { error: true, code, message, request_id: REQUEST_ID }, headers);
};
const answer = json(200, POST, {
  "X-Credits-Charged": "1",
  "X-Credits-Available": "19",
  RateLimit: '"default";r=118;t=42;q=120;w=60',
});

const steps: Step[] = [];
const received: { headers: IncomingMessage["headers"]; body: unknown }[] = [];
const server = createServer(async (request, response) => {
  received.push({ headers: request.headers, body: JSON.parse(await readBody(request)) });
  const step = steps.shift() ?? answer;
  step(response);
});
let baseUrl = "";

beforeAll(async () => {
  // No jitter: the waits are those that the server asks for.
  vi.spyOn(Math, "random").mockReturnValue(0);
  baseUrl = await listen(server);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await close(server);
});
beforeEach(() => {
  steps.length = 0;
  received.length = 0;
});

const clientWith = (options = {}) => new PublicMediaClient({ apiKey: KEY, baseUrl, ...options });

async function failure(call: Promise<unknown>): Promise<library.PublicMediaError> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof library.PublicMediaError)) throw new Error("none", { cause: error });
  expect(inspect(error, { depth: 9 })).not.toContain(KEY);
  return error;
}

describe("resolve", () => {
  it("tells what the service answered: the post, credits, limit and attempts", async () => {
    const resolved = await clientWith().resolve(URL_OF_POST, { maxResults: 4 });
    expect(resolved).toEqual({
      ...{ post: POST, credits: { charged: 1, available: 19 }, isReplay: false, attempts: 1 },
      ...{ requestId: REQUEST_ID, rateLimit: { remaining: 118, resetSeconds: 42 } },
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
    });
    expect(received[0]?.body).toEqual({ service: "microblog", url: URL_OF_POST, max_results: 4 });
    expect(received[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      "idempotency-key": resolved.idempotencyKey,
      "user-agent": expect.stringMatching(/^public-media-client\/\d/),
    });
  });

  it("sends nothing for a URL that no service takes", async () => {
    const error = await failure(clientWith().resolve("https://example.org/"));
    expect(error).toBeInstanceOf(library.UnrecognizedUrlError);
    expect(error.attempts).toBe(0);
    expect(received).toEqual([]);
  });

  it("sends a URL that it does not know when the caller names the service", async () => {
    await clientWith().resolve("https://x.com/new/shape", { service: "microblog" });
    expect(received[0]?.body).toEqual({ service: "microblog", url: "https://x.com/new/shape" });
  });

  it("keeps one Idempotency-Key over all attempts of a call, and takes another for the next", async () => {
    steps.push(
      refuse("UPSTREAM_ERROR"),
      (response) => response.destroy(),
      refuse("UPSTREAM_TIMEOUT"),
    );
    const client = clientWith();
    expect((await client.resolve(URL_OF_POST)).attempts).toBe(4);
    await client.resolve(URL_OF_POST);
    const keys = received.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(new Set(keys).size).toBe(2);
    await client.resolve(URL_OF_POST, { idempotencyKey: "mine" });
    expect(received.at(-1)?.headers["idempotency-key"]).toBe("mine");
  });

  it("has an error class for each code of the contract, and retries none that is final", async () => {
    const classes = {
      ...{ SERVICE_UNSUPPORTED: "ServiceUnsupportedError", URL_INVALID: "UrlInvalidError" },
      ...{
        API_KEY_INVALID: "ApiKeyInvalidError",
        INSUFFICIENT_CREDITS: "InsufficientCreditsError",
      },
      ...{ MEDIA_NOT_FOUND: "MediaNotFoundError", UPSTREAM_REJECTED: "UpstreamRejectedError" },
      ...{ RATE_LIMITED: "RateLimitedError", UPSTREAM_ERROR: "UpstreamError" },
      ...{ UPSTREAM_INVALID_RESPONSE: "UpstreamInvalidResponseError" },
      ...{ UPSTREAM_TIMEOUT: "UpstreamTimeoutError" },
      ...{ NOT_FOUND: "ApiError", METHOD_NOT_ALLOWED: "ApiError" },
    } satisfies Record<keyof typeof ERRORS, keyof typeof library>;
    for (const [code, name] of Object.entries(classes)) {
      received.length = 0;
      const { status, message } =
        Object.entries(ERRORS).find(([known]) => known === code)?.[1] ?? {};
      const isTransient = status === 429 || status === 502 || status === 504;
      const body = { error: true, code, message, request_id: REQUEST_ID };
      steps.push(json(status ?? 0, body), json(status ?? 0, body));
      const error = await failure(clientWith({ attemptsMax: 2 }).resolve(URL_OF_POST));
      expect(error).toMatchObject({ name, status, code, message, requestId: REQUEST_ID });
      expect([code, received.length]).toEqual([code, isTransient ? 2 : 1]);
      expect(error.attempts).toBe(received.length);
      steps.length = 0;
    }
  });

  it("waits as long as a 429 says, then retries", async () => {
    steps.push(refuse("RATE_LIMITED", { "Retry-After": "1" }));
    const began = performance.now();
    expect((await clientWith().resolve(URL_OF_POST)).attempts).toBe(2);
    expect(performance.now() - began).toBeGreaterThan(990);
  });

  it("fails at once when the wait would go past the deadline, with the time to wait", async () => {
    steps.push(refuse("RATE_LIMITED", { "Retry-After": "60" }));
    const error = await failure(clientWith().resolve(URL_OF_POST, { deadlineMs: 10_000 }));
    expect(error).toBeInstanceOf(library.RateLimitedError);
    expect(error).toMatchObject({ retryAfterSeconds: 60 });
    expect(received).toHaveLength(1);
  });

  it("does not wait for a limit of the day", async () => {
    const message = "Too many repetitions with this Idempotency-Key today.";
    const body = { error: true, code: "RATE_LIMITED", message, request_id: REQUEST_ID };
    steps.push(json(429, body, { "Retry-After": "1" }));
    await failure(clientWith().resolve(URL_OF_POST));
    expect(received).toHaveLength(1);
  });

  it("asks again under the same key when an attempt takes too long, and keeps the deadline", async () => {
    const silent: Step = () => undefined;
    const trickling: Step = (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    };
    steps.push(silent, trickling);
    const client = clientWith({ timeoutMs: 600 });
    expect((await client.resolve(URL_OF_POST)).attempts).toBe(3);
    steps.push(...Array<Step>(100).fill(trickling));
    const began = performance.now();
    const error = await failure(
      clientWith({ timeoutMs: 5_000, deadlineMs: 300 }).resolve(URL_OF_POST),
    );
    expect(error).toBeInstanceOf(library.DeadlineError);
    expect(error.cause).toBeInstanceOf(library.ConnectionError);
    expect(performance.now() - began).toBeLessThan(4_900);
  });

  it("says what went wrong before the deadline", async () => {
    steps.push(refuse("UPSTREAM_ERROR"), () => undefined);
    const error = await failure(clientWith({ deadlineMs: 2_500 }).resolve(URL_OF_POST));
    expect(error).toBeInstanceOf(library.DeadlineError);
    expect(error.cause).toBeInstanceOf(library.UpstreamError);
  });

  it("follows no redirect, since it would carry the key along", async () => {
    steps.push((response) => void response.writeHead(307, { location: `${baseUrl}/other` }).end());
    expect(await failure(clientWith().resolve(URL_OF_POST))).toMatchObject({ status: 307 });
    expect(received).toHaveLength(1);
  });

  it("takes nothing for an answer that is not one of the service", async () => {
    const { items, ...rest } = POST;
    const bodies = [null, [], "text", rest, { ...rest, items: [{ type: "text", url: "" }] }];
    for (const body of bodies) {
      steps.push(json(200, body));
      expect(await failure(clientWith().resolve(URL_OF_POST))).toMatchObject({ code: "UNKNOWN" });
    }
    steps.push((response) => void response.end("x".repeat(2_000_000)), answer);
    expect((await clientWith().resolve(URL_OF_POST)).attempts).toBe(2);
    expect(items).toHaveLength(1);
  });

  it("ends when the caller gives up, also while it waits", async () => {
    const reason = new Error("enough");
    for (const step of [() => undefined, refuse("RATE_LIMITED", { "Retry-After": "60" })]) {
      steps.push(step);
      const ending = new AbortController();
      const call = clientWith().resolve(URL_OF_POST, { signal: ending.signal });
      const before = received.length;
      call.catch(() => {});
      await expect.poll(() => received.length).toBe(before + 1);
      ending.abort(reason);
      await expect(call).rejects.toBe(reason);
    }
    expect(received).toHaveLength(2);
    await expect(
      clientWith().resolve(URL_OF_POST, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect(received).toHaveLength(2);
  });
});

describe("the client", () => {
  it("shows its key nowhere", () => {
    const client = clientWith();
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(KEY);
    expect(JSON.stringify(client)).not.toContain(KEY);
  });

  it.each([
    { apiKey: "" },
    { apiKey: `${KEY}\n` },
    { baseUrl: "http://api.example" },
    { baseUrl: "ftp://127.0.0.1" },
    { baseUrl: "https://user@api.example" },
    { baseUrl: "nowhere" },
    { timeoutMs: 0 },
    { deadlineMs: Number.NaN },
    { attemptsMax: 1.5 },
  ])("is not made with %j, and the message does not repeat it", (options) => {
    const make = () => clientWith(options);
    expect(make).toThrow(TypeError);
    expect(make).not.toThrow(KEY);
  });

  it("sends no call with a key or a deadline that cannot be", async () => {
    for (const options of [{ idempotencyKey: "a b" }, { idempotencyKey: "" }, { deadlineMs: 0 }]) {
      await expect(clientWith().resolve(URL_OF_POST, options)).rejects.toThrow(TypeError);
    }
    expect(received).toEqual([]);
  });
});

describe("resolveMany", () => {
  const urls = (count: number, user = "user") =>
    Array.from({ length: count }, (_, at) => `https://x.com/${user}/status/${at}`);

  it("yields every URL once, as it is done, and counts", async () => {
    steps.push(refuse("MEDIA_NOT_FOUND"));
    const progress: library.Progress[] = [];
    const options = { concurrency: 3, onProgress: (now: library.Progress) => progress.push(now) };
    const seen: library.Resolved[] = [];
    for await (const one of clientWith().resolveMany([...urls(9), "no URL"], options))
      seen.push(one);
    expect(seen.map(({ index }) => index).sort((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    for (const { url, index } of seen) expect(url).toBe([...urls(9), "no URL"][index]);
    const failed = seen.flatMap((one) => (one.ok ? [] : [one.error.name]));
    expect(failed.sort()).toEqual(["MediaNotFoundError", "UnrecognizedUrlError"]);
    expect(progress).toHaveLength(10);
    expect(progress.at(-1)).toEqual({ resolved: 8, failed: 2, creditsCharged: 8 });
  });

  it("has no more calls open than it may, and takes no more URLs than it needs", async () => {
    let [open, most, taken] = [0, 0, 0];
    async function* stream() {
      for (const url of urls(1_000)) {
        taken += 1;
        yield url;
      }
    }
    const slow: typeof fetch = async (...asked) => {
      most = Math.max(most, ++open);
      const response = await fetch(...asked);
      open -= 1;
      return response;
    };
    let seen = 0;
    for await (const _ of clientWith({ fetch: slow }).resolveMany(stream(), { concurrency: 3 })) {
      seen += 1;
      expect(taken).toBeLessThanOrEqual(seen + 2);
      if (seen === 20) break;
    }
    expect(most).toBe(3);
    expect(received.length).toBeLessThanOrEqual(22);
  });

  it("ends the calls that run when the consumer stops", async () => {
    const closed: Promise<unknown>[] = [];
    steps.push(
      answer,
      ...Array<Step>(3).fill((response) => {
        closed.push(new Promise((resolve) => response.on("close", resolve)));
      }),
    );
    for await (const _ of clientWith().resolveMany(urls(100, "stopped"), { concurrency: 4 })) break;
    await expect.poll(() => closed.length).toBe(3);
    await Promise.all(closed);
    const sent = received.filter(({ body }) => JSON.stringify(body).includes("stopped"));
    expect(sent).toHaveLength(4);
  });

  it("ends with the caller's reason, and with what the stream of URLs throws", async () => {
    const reason = new Error("enough");
    const all = async (urls: library.Items<string>, options = {}) => {
      for await (const _ of clientWith().resolveMany(urls, options)) expect(_.ok).toBe(true);
    };
    await expect(all(urls(3), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    async function* broken() {
      yield URL_OF_POST;
      throw reason;
    }
    await expect(all(broken())).rejects.toBe(reason);
    await expect(all([], { concurrency: 65 })).rejects.toThrow(TypeError);
  });
});
