import { expect, it } from "vitest";
import { ERRORS, type ErrorCode } from "../../../../src/contract/errors.ts";
import { errorSchema, resolveResponseSchema } from "../../../../src/contract/schemas.ts";
import { balancesOf, LEDGER, startService } from "../../../support/service.ts";
import { ID, image, pin, resource, sized } from "./pins.ts";

const LINK = "https://pin.it/4abcDEFgh";
const REDIRECTOR = "https://api.pinterest.com/url_shortener/4abcDEFgh/redirect/";
const PIN = { service: "pinboard", url: `https://www.pinterest.com/pin/${ID}/?utm=1#top` };

const LETTERS = ["a", "b", "c", "d"] as const;
const slots = LETTERS.map((letter) => ({ images: sized(letter, "736x", "originals") }));
const CAROUSEL = resource(pin({ title: "Four", carousel_data: { carousel_slots: slots } }));

/** The service with a platform that knows one carousel, and one short link to `location`. */
async function startWith(location: string, body = CAROUSEL) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const { href } = new URL(new Request(input).url);
    asked.push(href);
    const hop = { [LINK]: REDIRECTOR, [REDIRECTOR]: location }[href];
    if (hop !== undefined) return new Response("", { status: 302, headers: { location: hop } });
    return href.includes("/PinResource/") ? new Response(body) : new Response("", { status: 502 });
  };
  return { asked, ...(await startService({ fetch })) };
}

it("charges a pin's items at one credit each", async () => {
  const { resolve, engine } = await startWith(PIN.url);
  const response = await resolve(PIN);
  const body = resolveResponseSchema.parse(await response.json());
  expect(body).toEqual({
    ok: true,
    service: "pinboard",
    source_url: `https://www.pinterest.com/pin/${ID}/?utm=1`,
    item_count: 4,
    items: LETTERS.map((letter) => ({ type: "image", url: image("originals", letter) })),
    metadata: { title: "Four", author: "sample_user", caption: null },
    request_id: response.headers.get("x-request-id"),
    credits_used: 4,
  });
  expect(balancesOf(engine)).toEqual({ available: 16, held: 0, charged: 4, holds: 0 });
});

it("truncates a carousel to max_results and charges no more", async () => {
  const { resolve, engine } = await startWith(PIN.url);
  const body = resolveResponseSchema.parse(
    await (await resolve({ ...PIN, max_results: 3 })).json(),
  );
  expect(body.items.map(({ url }) => url)).toEqual(
    ["a", "b", "c"].map((letter) => image("originals", letter)),
  );
  expect(body).toMatchObject({ item_count: 3, credits_used: 3 });
  expect(balancesOf(engine)).toEqual({ available: 17, held: 0, charged: 3, holds: 0 });
  expect(engine.scan(LEDGER)).toMatchObject([
    { reserved: { N: "3" }, item_count: { N: "3" }, multiplier: { N: "1" }, charge: { N: "3" } },
  ]);
});

it("answers a short link with its own address and the pin's media", async () => {
  const { resolve, engine, asked } = await startWith(
    `https://www.pinterest.com/pin/${ID}/sent/?x=1`,
  );
  const response = await resolve({ service: "pinboard", url: `${LINK}?utm=1#top`, max_results: 1 });
  expect(resolveResponseSchema.parse(await response.json())).toMatchObject({
    source_url: `${LINK}?utm=1`,
    item_count: 1,
    items: [{ type: "image", url: image("originals", "a") }],
    credits_used: 1,
  });
  expect(asked.slice(0, 2)).toEqual([LINK, REDIRECTOR]);
  expect(asked).toHaveLength(3);
  expect(balancesOf(engine)).toEqual({ available: 19, held: 0, charged: 1, holds: 0 });
});

it.each<[string, string, ErrorCode, string?]>([
  ["leads to a board", "https://www.pinterest.com/someone/board/", "MEDIA_NOT_FOUND"],
  ["leads elsewhere", "https://evil.example/pin/1/", "MEDIA_NOT_FOUND"],
  ["leads in a circle", LINK, "MEDIA_NOT_FOUND"],
  [
    "leads to a pin that is answered with another",
    `https://www.pinterest.com/pin/${ID}9/`,
    "UPSTREAM_INVALID_RESPONSE",
  ],
  [
    "leads to a deleted pin",
    `https://www.pinterest.com/pin/${ID}/`,
    "MEDIA_NOT_FOUND",
    resource(null, { status: "failure", code: 50 }),
  ],
])("refunds a short link that %s", async (_what, location, code, body) => {
  const { resolve, engine } = await startWith(location, body ?? CAROUSEL);
  const response = await resolve({ service: "pinboard", url: LINK });
  expect(response.status).toBe(ERRORS[code].status);
  expect(errorSchema.parse(await response.json())).toMatchObject({ code });
  expect(balancesOf(engine)).toEqual({ available: 20, held: 0, charged: 0, holds: 0 });
  expect(engine.scan(LEDGER)).toMatchObject([{ outcome: { S: code }, charge: { N: "0" } }]);
});
