import { describe, expect, inject, it } from "vitest";
import { errorSchema, resolveResponseSchema } from "../../src/contract/schemas.ts";
import { balancesOf, LEDGER, startService } from "../support/service.ts";

/** The platforms, answered by the bundled samples. */
const fetch: typeof globalThis.fetch = async (input, init) => {
  const { url } = new Request(input, init);
  const row = inject("samples").find(({ requestUrl }) => requestUrl === url);
  return row === undefined ? new Response("", { status: 502 }) : new Response(row.body, row);
};

const CAROUSEL = {
  service: "photo-feed",
  url: "https://www.instagram.com/p/CSampleCar1/?img_index=2#x",
};
const GATED = { service: "photo-feed", url: "https://www.instagram.com/p/CSampleGat1/" };
const SLIDES = {
  service: "short-video",
  url: "https://www.tiktok.com/@sample.account/photo/7100000000000000102",
};
const GONE = { ...SLIDES, url: SLIDES.url.replace(/\d$/, "3") };

async function ask(request: object) {
  const { resolve, engine } = await startService({ fetch });
  const response = await resolve(request);
  return { response, balances: balancesOf(engine), ledger: engine.scan(LEDGER) };
}

describe("a carousel of the photo feed", () => {
  it("is returned whole, in order, and charged by item", async () => {
    const { response, balances, ledger } = await ask(CAROUSEL);
    const body = resolveResponseSchema.parse(await response.json());
    expect(body.source_url).toBe("https://www.instagram.com/p/CSampleCar1/?img_index=2");
    expect(body.items.map(({ type }) => type)).toEqual(["image", "video", "image"]);
    expect(body.metadata).toEqual({
      title: null,
      author: "sample_account",
      caption: "Two photos and a video",
    });
    expect(body).toMatchObject({ item_count: 3, credits_used: 3 });
    expect(balances).toEqual({ available: 17, held: 0, charged: 3, holds: 0 });
    expect(ledger).toMatchObject([
      { item_count: { N: "3" }, multiplier: { N: "1" }, charge: { N: "3" }, reserved: { N: "10" } },
    ]);
  });

  it("is cut to max_results, and only that is charged", async () => {
    const { response, balances } = await ask({ ...CAROUSEL, max_results: 2 });
    const body = resolveResponseSchema.parse(await response.json());
    expect(body.items.map(({ type }) => type)).toEqual(["image", "video"]);
    expect(body).toMatchObject({ item_count: 2, credits_used: 2 });
    expect(balances).toEqual({ available: 18, held: 0, charged: 2, holds: 0 });
  });
});

describe("an image post among the short videos", () => {
  it("is returned with its sound last, and charged by item", async () => {
    const { response, balances } = await ask(SLIDES);
    const body = resolveResponseSchema.parse(await response.json());
    expect(body.items.map(({ type }) => type)).toEqual(["image", "image", "image", "audio"]);
    expect(body.metadata).toEqual({
      title: "Sample slides",
      author: "sample.account",
      caption: "Three images and their sound",
    });
    expect(body).toMatchObject({ item_count: 4, credits_used: 4 });
    expect(balances).toEqual({ available: 16, held: 0, charged: 4, holds: 0 });
  });

  it("is cut to max_results, and only that is charged", async () => {
    const { response, balances } = await ask({ ...SLIDES, max_results: 1 });
    const body = resolveResponseSchema.parse(await response.json());
    expect(body.items.map(({ url }) => url)).toEqual([
      "https://p16-sign.tiktokcdn-us.com/sample/sample-image-1.jpeg?x-expires=1800000000",
    ]);
    expect(balances).toEqual({ available: 19, held: 0, charged: 1, holds: 0 });
  });
});

it.each([
  ["gated", GATED],
  ["gone", GONE],
])("a post that is %s costs nothing and leaves no hold", async (_, request) => {
  const { response, balances, ledger } = await ask(request);
  expect(response.status).toBe(422);
  expect(errorSchema.parse(await response.json())).toMatchObject({ code: "MEDIA_NOT_FOUND" });
  expect(balances).toEqual({ available: 20, held: 0, charged: 0, holds: 0 });
  expect(ledger).toMatchObject([{ outcome: { S: "MEDIA_NOT_FOUND" }, charge: { N: "0" } }]);
});
