import { describe, expect, it } from "vitest";
import { errorSchema, resolveResponseSchema } from "../../src/contract/schemas.ts";
import { STORE_TIMEOUT_MS } from "../../src/credits/limits.ts";
import type { Write } from "../../src/store/dynamodb.ts";
import { balancesOf, LEDGER, type Overrides, startService } from "../support/service.ts";
import { testSettings } from "../support/settings.ts";

const ID = "1900000000000000001";
const ALBUM = { service: "messenger-channel", url: "https://t.me/samples/12#comment" };
const POST = { service: "microblog", url: `https://x.com/someone/status/${ID}?s=20#top` };
const PHOTO_PATH = "https://pbs.twimg.com/media/Sample";

/** A synthetic reply of the syndication endpoint with that many photos. */
function photos(count: number, id = ID): string {
  return JSON.stringify({
    __typename: "Tweet",
    id_str: id,
    text: "Two &amp; two",
    user: { screen_name: "someone" },
    mediaDetails: Array.from({ length: count }, (_, at) => ({
      type: "photo",
      media_url_https: `${PHOTO_PATH}${at}.jpg`,
    })),
  });
}

/** A synthetic album of three photos. The first has the requested number. */
const ALBUM_PAGE = `<div class="tgme_widget_message js-widget_message" data-post="samples/12">
  <div class="tgme_widget_message_grouped_wrap">${[12, 13, 14]
    .map(
      (id) => `<a class="tgme_widget_message_photo_wrap grouped_media_wrap"
        href="https://t.me/samples/${id}?single"
        style="background-image:url('https://cdn4.telesco.pe/file/sample${id}.jpg')"></a>`,
    )
    .join("")}</div></div>`;

function answering(body: string, status = 200): Overrides {
  return { fetch: async () => new Response(body, { status }) };
}

/** A fetch that never answers but obeys its signal, like the runtime's. */
const hanging: typeof fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    const signal = init?.signal;
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

describe("a resolution that succeeds", () => {
  it("answers what the specification says and charges per item", async () => {
    const { resolve, engine } = await startService(answering(photos(2)));
    const response = await resolve(POST);
    expect(response.status).toBe(200);
    const body = resolveResponseSchema.parse(await response.json());
    expect(body).toEqual({
      ok: true,
      service: "microblog",
      source_url: `https://x.com/someone/status/${ID}?s=20`,
      item_count: 2,
      items: [0, 1].map((at) => ({ type: "image", url: `${PHOTO_PATH}${at}.jpg?name=orig` })),
      metadata: { title: null, author: "someone", caption: "Two & two" },
      request_id: response.headers.get("x-request-id"),
      credits_used: 2,
    });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("ratelimit")).toMatch(/^"default";r=119;t=\d+;q=120;w=60$/);
    expect(balancesOf(engine)).toEqual({ available: 18, held: 0, charged: 2, holds: 0 });
    expect(engine.scan(LEDGER)).toMatchObject([
      {
        record_id: { S: body.request_id },
        outcome: { S: "OK" },
        reserved: { N: "10" },
        item_count: { N: "2" },
        multiplier: { N: "1" },
        charge: { N: "2" },
        settled_by: { S: "request" },
      },
    ]);
  });

  it("charges twice per item where the multiplier is 2", async () => {
    const { resolve, engine } = await startService(answering(ALBUM_PAGE));
    const body = resolveResponseSchema.parse(await (await resolve(ALBUM)).json());
    expect(body).toMatchObject({ item_count: 3, credits_used: 6 });
    expect(balancesOf(engine)).toEqual({ available: 14, held: 0, charged: 6, holds: 0 });
  });

  it("returns and charges max_results items at most", async () => {
    const { resolve, engine } = await startService(answering(ALBUM_PAGE));
    const response = await resolve({ ...ALBUM, max_results: 2 });
    const body = resolveResponseSchema.parse(await response.json());
    expect(body.items.map(({ url }) => url.slice(-6))).toEqual(["12.jpg", "13.jpg"]);
    expect(body.credits_used).toBe(4);
    expect(balancesOf(engine)).toMatchObject({ available: 16, held: 0, charged: 4 });
  });

  it("mints its own request id, whatever the client sends", async () => {
    const { resolve } = await startService(answering(photos(1)));
    const response = await resolve(POST, { "x-request-id": "mine" });
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{14}7/);
  });

  it("logs ids, credits and the time of each stage, and no media URL", async () => {
    const { resolve, logs, key } = await startService(answering(photos(1)));
    const response = await resolve(POST);
    expect(logs).toEqual([
      {
        event: "request",
        request_id: response.headers.get("x-request-id"),
        status: 200,
        outcome: "OK",
        account: "acct_test",
        key_id: expect.stringMatching(/^key_/),
        service: "microblog",
        reserved: 10,
        credits: 1,
        items: 1,
        source: "syndication",
        authenticate_ms: expect.any(Number),
        limit_ms: expect.any(Number),
        reserve_ms: expect.any(Number),
        resolve_ms: expect.any(Number),
        settle_ms: expect.any(Number),
        total_ms: expect.any(Number),
      },
    ]);
    expect(JSON.stringify(logs)).not.toMatch(/https?:/);
    expect(JSON.stringify(logs)).not.toContain(key);
  });
});

describe("a resolution that fails", () => {
  const HASTY = testSettings({ RESOLVE_WINDOW_MS: 100 }).search;
  const failures: [string, Overrides, number, string][] = [
    ["the post is gone", answering("{}"), 422, "MEDIA_NOT_FOUND"],
    ["the platform refuses", answering("", 403), 422, "UPSTREAM_REJECTED"],
    ["the platform is down", answering("", 503), 502, "UPSTREAM_ERROR"],
    ["the answer is no JSON", answering("<html>"), 502, "UPSTREAM_INVALID_RESPONSE"],
    ["the answer is another post", answering(photos(1, "7")), 502, "UPSTREAM_INVALID_RESPONSE"],
    ["the connection breaks", {}, 502, "UPSTREAM_ERROR"],
    ["the platform hangs", { fetch: hanging, settings: HASTY }, 504, "UPSTREAM_TIMEOUT"],
  ];

  it.each(failures)("because %s is refunded", async (_, overrides, status, code) => {
    const { resolve, engine, logs } = await startService(overrides);
    const response = await resolve(POST);
    expect(response.status).toBe(status);
    expect(errorSchema.parse(await response.json())).toMatchObject({ code });
    expect(balancesOf(engine)).toEqual({ available: 20, held: 0, charged: 0, holds: 0 });
    expect(engine.scan(LEDGER)).toMatchObject([{ outcome: { S: code }, charge: { N: "0" } }]);
    const lines = logs.filter(({ event }) => event === "request");
    expect(lines).toMatchObject([{ status, outcome: code, credits: 0, reserved: 10 }]);
  });

  it("tells after how long to come back when the provider named it", async () => {
    const headers = { "retry-after": "7" };
    const { resolve } = await startService({
      fetch: async () => new Response("", { status: 503, headers }),
    });
    expect((await resolve(POST)).headers.get("retry-after")).toBe("7");
  });

  it("for a service without a source answers so and charges nothing", async () => {
    const { resolve, engine } = await startService();
    const response = await resolve({
      service: "photo-feed-story",
      url: "https://www.instagram.com/stories/someone/1234567890/",
    });
    expect(errorSchema.parse(await response.json())).toMatchObject({ code: "UPSTREAM_REJECTED" });
    expect(balancesOf(engine)).toEqual({ available: 20, held: 0, charged: 0, holds: 0 });
  });

  it("for want of credits says so before anybody asks the platform", async () => {
    let asked = 0;
    const { resolve, engine } = await startService({
      fetch: async () => {
        asked++;
        return new Response(photos(1));
      },
    });
    const response = await resolve({ ...ALBUM, max_results: 11 });
    expect(response.status).toBe(402);
    expect(errorSchema.parse(await response.json())).toMatchObject({
      code: "INSUFFICIENT_CREDITS",
      message: expect.stringContaining("22"),
    });
    expect(asked).toBe(0);
    expect(balancesOf(engine)).toEqual({ available: 20, held: 0, charged: 0, holds: 0 });
    expect(engine.scan(LEDGER)).toEqual([]);
  });
});

describe("a client that goes away", () => {
  it("before settlement pays nothing", async () => {
    const gone = new AbortController();
    const { app, engine, key } = await startService({
      fetch: (input, init) => {
        gone.abort();
        return hanging(input, init);
      },
    });
    const pending: Promise<unknown>[] = [];
    const context = {
      waitUntil: (work: Promise<unknown>) => void pending.push(work),
      passThroughOnException: () => {},
      props: {},
    };
    const request = new Request("https://api.example.com/v1/resolve", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(POST),
      signal: gone.signal,
    });
    await app.fetch(request, {}, context);
    await Promise.all(pending);
    expect(balancesOf(engine)).toEqual({ available: 20, held: 0, charged: 0, holds: 0 });
    expect(engine.scan(LEDGER)).toMatchObject([{ charge: { N: "0" } }]);
  });
});

describe("a store that goes away", () => {
  const down = async (): Promise<Write> => ({ outcome: "unknown", cause: "down" });

  it("before the reservation is durable costs nothing and reaches no platform", async () => {
    const { engine } = await startService();
    let asked = 0;
    const service = await startService({
      dynamo: { ...engine.dynamo, update: down },
      fetch: async () => {
        asked++;
        return new Response("");
      },
    });
    const response = await service.resolve(POST);
    expect(response.status).toBe(502);
    expect(asked).toBe(0);
    expect(balancesOf(engine)).toEqual({ available: 20, held: 0, charged: 0, holds: 0 });
  });

  it("at settlement is waited for, and the client is told what was charged", async () => {
    const { engine, logs } = await startService();
    let puts = 0;
    const dynamo = {
      ...engine.dynamo,
      put: (request: Parameters<typeof engine.dynamo.put>[0]) =>
        ++puts < 4 ? down() : engine.dynamo.put(request),
    };
    const service = await startService({ ...answering(photos(2)), dynamo });
    const body = resolveResponseSchema.parse(await (await service.resolve(POST)).json());
    expect(body.credits_used).toBe(2);
    expect(puts).toBe(4);
    expect(balancesOf(engine)).toEqual({ available: 18, held: 0, charged: 2, holds: 0 });
    expect(logs).toEqual([]);
  });

  it("for the rest of the hold's life costs nothing, and the client is told so", async () => {
    const { engine } = await startService();
    let nowMs = Date.now();
    const service = await startService({
      ...answering(photos(2)),
      dynamo: { ...engine.dynamo, put: down },
      ledger: {
        now: () => nowMs,
        sleep: async () => {
          nowMs += STORE_TIMEOUT_MS;
        },
      },
    });
    const response = await service.resolve(POST);
    expect(errorSchema.parse(await response.json())).toMatchObject({ code: "UPSTREAM_ERROR" });
    expect(balancesOf(engine)).toMatchObject({ held: 10, charged: 0 });
    expect(engine.scan(LEDGER)).toEqual([]);
  });
});
