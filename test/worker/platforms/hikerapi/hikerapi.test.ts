import { describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { type Service, serviceSchema } from "../../../../src/contract/schemas.ts";
import { hikerapiPost } from "../../../../src/platforms/hikerapi/post.ts";
import { readStory } from "../../../../src/platforms/hikerapi/story.ts";
import { isPost, readItem } from "../../../../src/platforms/instagram/item.ts";
import { bareCode } from "../../../../src/platforms/instagram/shortcode.ts";
import { timer } from "../../../../src/runtime/timer.ts";
import { parseExactJson } from "../../../../src/upstream/exact-json.ts";
import { PATIENCE } from "../../../../src/upstream/patience.ts";
import { openUpstream } from "../../../../src/upstream/upstream.ts";
import { postAt, resolve, summary } from "../../../support/replies.ts";
import type { LogEntry } from "../../../support/service.ts";
import type { Variables } from "../../../support/settings.ts";
import { testSettings } from "../../../support/settings.ts";

const KEY = { HIKERAPI_KEY: "provider-key" };
const STORY = "https://www.instagram.com/stories/sample/3776832898280228145/";
const HIGHLIGHT = "https://www.instagram.com/stories/highlights/17893209825281221/";
const CODE = "Chunk8-jurw";
const CODE_PK = "2913440072144448240";

/** Synthetic media: no real post, person or medium. F0000000 is in 2097, 60000000 in 2021. */
const address = (name: string, oe = "F0000000") =>
  `https://scontent.cdninstagram.com/${name}?oe=${oe}`;
const user = { pk: "9", username: "sample", is_private: false };
const photo = (pk: string, more: object = {}) => ({
  pk,
  id: `${pk}_9`,
  media_type: 1,
  thumbnail_url: address(`${pk}.jpg`),
  video_url: null,
  user,
  ...more,
});
const video = (pk: string, more: object = {}) =>
  photo(pk, { media_type: 2, video_url: address(`${pk}.mp4`), ...more });
const STORY_PK = "3776832898280228145";
const story = video(STORY_PK);

const reply = (body: unknown, status = 200) =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status });

function ask(
  url: string,
  body: unknown,
  { status = 200, ...more }: Variables & { status?: number } = {},
) {
  const service: Service = url === HIGHLIGHT ? "photo-feed-highlight" : "photo-feed-story";
  return resolve(postAt(url, service), service, () => reply(body, status), { ...KEY, ...more });
}
const items = async (url: string, body: unknown, status = 200) =>
  summary(await ask(url, body, { status }));

/** The source by itself, whatever the service's order. The clock stands at `nowMs`. */
async function askPost(body: unknown, { nowMs = 0, code = CODE } = {}) {
  const asked: string[] = [];
  const settings = testSettings(KEY);
  const upstream = openUpstream({
    fetch: async (input) => {
      asked.push(new Request(input).url);
      return reply(body);
    },
    userAgent: "test/1",
    egressUrl: null,
    budget: { requestsLeft: 1 },
    signal: new AbortController().signal,
    timer,
    patience: PATIENCE,
  });
  const post = postAt(`https://www.instagram.com/p/${code}/`, "photo-feed");
  const source = hikerapiPost(settings.platforms.hikerapi, { bareCode, isPost, readItem });
  const found = await source.find(post, {
    upstream,
    maxResults: 20,
    now: () => nowMs,
    log: () => {},
  });
  return { found, asked };
}

describe("the provider is asked", () => {
  const requestOf = async (url: string, more: Variables = {}) => {
    const asked: Request[] = [];
    const service = url === HIGHLIGHT ? "photo-feed-highlight" : "photo-feed-story";
    const answer = (_: string, request: Request) => {
      asked.push(request);
      return reply({});
    };
    await resolve(postAt(url, service), service, answer, { ...KEY, ...more });
    return asked.map((one) => ({
      method: one.method,
      url: one.url,
      key: one.headers.get("x-access-key"),
      accept: one.headers.get("accept"),
    }));
  };
  const common = { method: "GET", key: "provider-key", accept: "application/json" };

  it("for one story, with the key in its header and without `force`", async () => {
    const url = `https://api.hikerapi.com/v1/story/by/id?id=${STORY_PK}`;
    expect(await requestOf(STORY)).toEqual([{ ...common, url }]);
  });

  it("for one highlight", async () => {
    const url = "https://api.hikerapi.com/v2/highlight/by/id?id=17893209825281221";
    expect(await requestOf(HIGHLIGHT)).toEqual([{ ...common, url }]);
  });

  it("for one post, by the code without what sharing has added", async () => {
    const { asked } = await askPost({}, { code: CODE + "y".repeat(28) });
    expect(asked).toEqual([`https://api.hikerapi.com/v1/media/by/code?code=${CODE}`]);
  });

  it("at the operator's address, which may have a port and a path", async () => {
    const HIKERAPI_URL = "http://127.0.0.1:9000/hiker/";
    const url = `http://127.0.0.1:9000/hiker/v1/story/by/id?id=${STORY_PK}`;
    expect(await requestOf(STORY, { HIKERAPI_URL })).toEqual([{ ...common, url }]);
  });

  it("through the gateway, where there is one", async () => {
    const [request] = await requestOf(STORY, { EGRESS_URL: "https://gateway.example/?k=1" });
    const target = encodeURIComponent(`https://api.hikerapi.com/v1/story/by/id?id=${STORY_PK}`);
    expect(request?.url).toBe(`https://gateway.example/?k=1&url=${target}`);
  });

  it("never without a key", async () => {
    const service = "photo-feed-story";
    const found = await resolve(postAt(STORY, service), service, () => reply(story));
    expect(found).toMatchObject({
      failure: {
        code: "UPSTREAM_REJECTED",
        message: "no source configured for this service",
      },
    });
  });
});

/** Fields in which a video without a type still shows that it is one. */
const MOVED = { media_type: null, product_type: "clips", video_duration: 7.5 };

describe("a story", () => {
  const other = photo("3776832898280228146");
  it.each([
    ["bare", story],
    ["wrapped", { response: story }],
    ["in a list", [other, story]],
    ["in a reel", { reel: { user, items: [other, story] } }],
    ["in a wrapped reel", { response: { reel: { user, items: [story, other] } } }],
    ["in the reel's place", { response: { items: [story] } }],
    ["beside a reel that is null", { response: { reel: null, items: [story] } }],
    ["in a reel beside an empty list", { reel: { items: [story] }, items: [] }],
    ["by its file, whatever its type", { ...story, media_type: 77 }],
    ["with a string for its type", { ...story, media_type: "2" }],
  ])("is read %s, and no other beside it", async (_, body) => {
    expect(await items(STORY, body)).toEqual([`video ${STORY_PK}.mp4`]);
  });

  it("is told from its neighbours where its number is a JSON number", async () => {
    const body = (pk: string) =>
      JSON.stringify([{ ...story, id: undefined, pk: "PK" }]).replace('"PK"', pk);
    expect(await items(STORY, body(STORY_PK))).toEqual([`video ${STORY_PK}.mp4`]);
    // Both numbers are the same double.
    expect(Number("3776832898280228146")).toBe(Number(STORY_PK));
    expect(await items(STORY, body("3776832898280228146"))).toBe("MEDIA_NOT_FOUND");
    expect(await items(STORY, body("3.776832898280228145e18"))).toBe("MEDIA_NOT_FOUND");
  });

  it("is a photo or a video, never the poster of one", async () => {
    expect(await items(STORY, photo(STORY_PK))).toEqual([`image ${STORY_PK}.jpg`]);
    expect(await items(STORY, video(STORY_PK, { video_url: null }))).toBe(
      "UPSTREAM_INVALID_RESPONSE",
    );
    const versions = [
      { url: address("low.mp4"), width: 360, height: 640 },
      { url: address("high.mp4"), width: 720, height: 1280 },
    ];
    const raw = video(STORY_PK, { video_url: undefined, video_versions: versions });
    expect(await items(STORY, raw)).toEqual(["video high.mp4"]);
    const untyped = { ...raw, media_type: null };
    expect(await items(STORY, untyped)).toEqual(["video high.mp4"]);
    const hevc = address("hevc/large.mp4");
    const tall = { url: hevc, width: 1080, height: 1920 };
    for (const video_url of [hevc, null]) {
      const mixed = video(STORY_PK, { video_url, video_versions: [tall, ...versions] });
      expect(await items(STORY, mixed)).toEqual(["video high.mp4"]);
    }
    expect(await items(STORY, video(STORY_PK, { video_url: hevc }))).toEqual(["video large.mp4"]);
    const candidates = versions.map(({ url, ...size }) => ({
      ...size,
      url: url.replace("mp4", "jpg"),
    }));
    const image = photo(STORY_PK, { thumbnail_url: null, image_versions2: { candidates } });
    expect(await items(STORY, image)).toEqual(["image high.jpg"]);
  });

  it("has its user's name, or else its reel's, or else that of the URL", async () => {
    const author = async (body: unknown) => {
      const found = await ask(STORY, body);
      return found.ok ? found.value.metadata : found;
    };
    const nameless = { ...story, user: { username: null, full_name: "" } };
    const named = { title: null, author: "sample", caption: null };
    expect(await author({ ...story, user: { username: "now_else" } })).toEqual({
      ...named,
      author: "now_else",
    });
    expect(await author({ reel: { user: { username: "reel" }, items: [nameless] } })).toEqual({
      ...named,
      author: "reel",
    });
    expect(await author(nameless)).toEqual(named);
  });

  it("of somebody who has changed the name is the same story, and the log says so", () => {
    const logs: LogEntry[] = [];
    const tools = { now: () => 0, log: (entry: LogEntry) => void logs.push(entry) };
    const post = postAt(STORY.replace("sample", "SAMPLE"), "photo-feed-story");
    expect(readStory(story, post, tools)).toMatchObject({ ok: true });
    expect(logs).toEqual([]);
    expect(readStory({ ...story, user: { username: "now_else" } }, post, tools).ok).toBe(true);
    expect(logs).toEqual([{ event: "owner_mismatch", source: "hikerapi", story: STORY_PK }]);
  });

  it.each([
    ["of a private account", { ...story, user: { ...user, is_private: true } }],
    ["in a private reel", { reel: { user: { is_private: true }, items: [story] } }],
    ["that is no longer active", { reel: { user, media_count: 1, items: [other] } }],
    ["where none is active", { reel: null }],
    ["where the list is empty", []],
    ["without a file and an image", { ...story, video_url: "", thumbnail_url: null }],
  ])("%s is not there", async (_, body) => {
    expect(await items(STORY, body)).toBe("MEDIA_NOT_FOUND");
  });

  it.each([
    ["another story", other],
    ["one whose ids disagree", { ...story, id: "1_9" }],
    ["one without an id", { ...story, pk: null, id: undefined }],
    ["an empty object", {}],
    ["null", null],
    ["a text", '"story"'],
    ["a page", "<html>"],
    ["a cut one", '{"pk":"37'],
    ["nothing", ""],
    ["a field of another kind", { ...story, video_url: 7 }],
    ["a poster whose video has moved", { ...story, video_url: "" }],
    ["such a poster without a type", { ...story, video_url: "", ...MOVED }],
    ["the image of a new kind of medium", photo(STORY_PK, { media_type: 77 })],
    ["a count without stories", { reel: { user, media_count: 2, items: [] } }],
    ["stories that have lost their ids", [{ ...story, pk: null, id: null }, other]],
    ["a file elsewhere", { ...story, video_url: "https://evil.example/a.mp4" }],
  ])("is never taken from %s", async (_, body) => {
    expect(await items(STORY, body)).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("whose file had expired is returned and reported", () => {
    const post = postAt(STORY, "photo-feed-story");
    const reported = (oe: string, nowMs: number) => {
      const entries: unknown[] = [];
      const read = readStory({ ...story, video_url: address("a.mp4", oe) }, post, {
        now: () => nowMs,
        log: (entry) => void entries.push(entry),
      });
      expect(read.ok).toBe(true);
      return entries;
    };
    const expiryMs = Date.UTC(2026, 6, 5, 1, 56, 42);
    expect(reported("6A49B9DA", expiryMs - 1)).toEqual([]);
    expect(reported("6A49B9DA", expiryMs)).toEqual([
      { event: "expired_media", source: "hikerapi", expired: 1, items: 1 },
    ]);
    expect(reported("00000001", expiryMs)).toEqual([]);
    expect(reported("nonsense", expiryMs)).toEqual([]);
  });
});

describe("a highlight", () => {
  const asked = "highlight:17893209825281221";
  const nameless = { user: { username: null, full_name: "", is_private: false } };
  const reel = {
    id: asked,
    pk: "17893209825281221",
    title: "Trips",
    media_count: 2,
    user,
    items: [video("1", nameless), photo("2", nameless)],
  };
  const listed = ["video 1.mp4", "image 2.jpg"];

  it.each([
    ["in the map of reels", { response: { reels: { [asked]: reel }, status: "ok" } }],
    [
      "beside another",
      {
        response: {
          reels: { "highlight:1": { ...reel, id: "highlight:1", pk: "1" }, [asked]: reel },
        },
      },
    ],
    ["in a list of reels", { response: { reels: {}, reels_media: [reel] } }],
    [
      "in a list beside another",
      { response: { reels_media: [{ ...reel, id: "highlight:1", pk: "1" }, reel] } },
    ],
    ["under another key", { response: { reels: { [reel.pk]: reel } } }],
    [
      "beside a reel that is null",
      { response: { reel: null, items: reel.items, user, title: "Trips" } },
    ],
    ["in the reels' place", { response: { items: reel.items, user, title: "Trips" } }],
    ["flat", reel],
  ])("is read %s", async (_, body) => {
    const found = await ask(HIGHLIGHT, body);
    expect(summary(found)).toEqual(listed);
    expect(found).toMatchObject({
      value: { metadata: { title: "Trips", author: "sample", caption: null } },
    });
  });

  const withItems = (...some: readonly object[]) => ({
    response: { reels: { [asked]: { ...reel, items: some } } },
  });

  it("leaves out what is private or has no file", async () => {
    const hidden = video("1", { user: { is_private: true } });
    const bare = video("2", { video_url: null });
    expect(await items(HIGHLIGHT, withItems(hidden, bare, photo("3")))).toEqual(["image 3.jpg"]);
    expect(await items(HIGHLIGHT, withItems(hidden, bare))).toBe("UPSTREAM_INVALID_RESPONSE");
    const nothing = { ...bare, thumbnail_url: null };
    expect(await items(HIGHLIGHT, withItems(hidden, nothing))).toBe("MEDIA_NOT_FOUND");
    expect(await items(HIGHLIGHT, withItems(hidden))).toBe("MEDIA_NOT_FOUND");
    const hologram = photo("4", { media_type: 77 });
    expect(await items(HIGHLIGHT, withItems(hologram, photo("3")))).toEqual(["image 3.jpg"]);
  });

  it.each([
    ["without items", { response: { reels: { [asked]: { ...reel, items: [], media_count: 0 } } } }],
    [
      "that is private",
      { response: { reels: { [asked]: { ...reel, user: { is_private: true } } } } },
    ],
    ["where there are no reels", { response: { reels: {} } }],
    ["where the reel is null", { response: { reel: null } }],
  ])("%s is not there", async (_, body) => {
    expect(await items(HIGHLIGHT, body)).toBe("MEDIA_NOT_FOUND");
  });

  it.each([
    [
      "another highlight",
      { response: { reels: { "highlight:1": { ...reel, id: "highlight:1", pk: "1" } } } },
    ],
    ["another one's key", { response: { reels: { "highlight:1": { items: reel.items } } } }],
    ["another flat one", { ...reel, pk: "1" }],
    ["a count without items", withItems()],
    ["a reply without items", { response: { reels: { [asked]: { ...reel, items: null } } } }],
    ["an empty wrapper", { response: {} }],
    ["a list", []],
    ["a page", "<html>"],
  ])("is never taken from %s", async (_, body) => {
    expect(await items(HIGHLIGHT, body)).toBe("UPSTREAM_INVALID_RESPONSE");
  });
});

describe("a post", () => {
  const flat = { ...photo(CODE_PK), code: CODE, title: "", caption_text: "c", resources: [] };
  const raw = {
    ...{ pk: CODE_PK, code: CODE, media_type: 1, user, caption: { text: "c" } },
    image_versions2: { candidates: [{ url: address(`${CODE_PK}.jpg`), width: 1, height: 1 }] },
  };
  it.each([
    ["flat", flat],
    ["raw in a list", { items: [raw] }],
    ["raw as media_or_ad", { media_or_ad: raw }],
    ["raw as media", { media: raw }],
    ["raw as response", { response: raw }],
    ["wrapped twice", { response: { media_or_ad: raw } }],
    ["raw as such", raw],
  ])("is read %s", async (_, body) => {
    const { found } = await askPost(body);
    expect(summary(found)).toEqual([`image ${CODE_PK}.jpg`]);
    expect(found).toMatchObject({ value: { metadata: { author: "sample", caption: "c" } } });
  });

  it("that is an album has all its children, each of its own type", async () => {
    const album = { ...flat, media_type: 8, resources: [photo("1"), video("2"), photo("3")] };
    expect(summary((await askPost(album)).found)).toEqual([
      "image 1.jpg",
      "video 2.mp4",
      "image 3.jpg",
    ]);
    const resources = [photo("1"), video("2", { video_url: null })];
    const codes = [
      { ...album, resources },
      { ...album, resources: [] },
    ].map(async (body) => summary((await askPost(body)).found));
    expect(new Set(await Promise.all(codes))).toEqual(new Set(["UPSTREAM_INVALID_RESPONSE"]));
    const hologram = photo("2", { media_type: 77 });
    const known = { ...album, resources: [photo("1"), hologram, video("3")] };
    expect(summary((await askPost(known)).found)).toEqual(["image 1.jpg", "video 3.mp4"]);
  });

  it.each([
    ["the poster of a video without a type", { ...flat, ...MOVED }],
    ["the poster of a typed one", { ...flat, media_type: 2 }],
    ["the cover of an album", { ...flat, media_type: null, product_type: "carousel_container" }],
    ["the image of a new kind of medium", { ...flat, media_type: 77 }],
  ])("is never %s", async (_, body) => {
    expect(summary((await askPost(body)).found)).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("has its media also where its metadata has another form", async () => {
    const odd = { ...flat, title: 7, caption_text: {}, user: { username: 7, is_private: false } };
    const { found } = await askPost(odd);
    expect(summary(found)).toEqual([`image ${CODE_PK}.jpg`]);
    expect(found).toMatchObject({
      value: { metadata: { title: null, author: null, caption: null } },
    });
    const unclear = { ...flat, user: { username: "sample", is_private: "true" } };
    expect(summary((await askPost(unclear)).found)).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it.each([
    ["another post", { ...flat, code: "Chunk8-jurx" }],
    ["another post by its number", { ...flat, code: "", pk: "1", id: "1_9" }],
    ["a list without posts", { items: [] }],
    ["nothing like it", { user }],
  ])("is never taken from %s", async (_, body) => {
    expect(summary((await askPost(body)).found)).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("of a private account is not there", async () => {
    const hidden = { ...flat, user: { is_private: true } };
    expect(summary((await askPost(hidden)).found)).toBe("MEDIA_NOT_FOUND");
  });
});

describe("an error of the provider", () => {
  const detail = { detail: "why", exc_type: "Whatever" };
  it.each([
    [400, "MEDIA_NOT_FOUND"],
    [401, "UPSTREAM_REJECTED"],
    [402, "UPSTREAM_REJECTED"],
    [403, "MEDIA_NOT_FOUND"],
    [404, "MEDIA_NOT_FOUND"],
    [405, "UPSTREAM_INVALID_RESPONSE"],
    [408, "UPSTREAM_TIMEOUT"],
    [410, "UPSTREAM_INVALID_RESPONSE"],
    [422, "MEDIA_NOT_FOUND"],
    [429, "UPSTREAM_REJECTED"],
    [430, "UPSTREAM_REJECTED"],
    [500, "UPSTREAM_ERROR"],
    [502, "UPSTREAM_ERROR"],
    [503, "UPSTREAM_ERROR"],
    [504, "UPSTREAM_TIMEOUT"],
  ])("of status %i is %s", async (status, code) => {
    expect(await items(STORY, detail, status)).toBe(code);
    expect(await items(HIGHLIGHT, "<html>", status)).toBe(code);
  });

  it.each([
    [{ detail: "x", exc_type: "MediaNotFound" }, "MEDIA_NOT_FOUND"],
    [{ detail: "x", exc_type: "MediaUnavailable" }, "MEDIA_NOT_FOUND"],
    [{ exc_type: "PrivateAccount" }, "MEDIA_NOT_FOUND"],
    [{ detail: "x", exc_type: "LoginRequired" }, "UPSTREAM_REJECTED"],
    [{ detail: "Entries not found" }, "UPSTREAM_REJECTED"],
    [{ detail: [{ msg: "x" }] }, "UPSTREAM_REJECTED"],
    [{ exc_type: 7 }, "UPSTREAM_REJECTED"],
    [{ ...story, exc_type: "ClientError" }, "UPSTREAM_REJECTED"],
  ])("in a 200 is no payload: %o is %s", async (body, code) => {
    expect(await items(STORY, body)).toBe(code);
    expect(await items(HIGHLIGHT, body)).toBe(code);
  });

  it("that leads elsewhere is a refusal, and the key stays here", async () => {
    const hosts: string[] = [];
    const service = "photo-feed-story";
    const answer = (url: string) => {
      hosts.push(new URL(url).host);
      return new Response(null, { status: 307, headers: { location: "https://evil.example/" } });
    };
    const found = await resolve(postAt(STORY, service), service, answer, KEY);
    expect(summary(found)).toBe("UPSTREAM_REJECTED");
    expect(hosts).toEqual(["api.hikerapi.com"]);
  });

  it("leaves nothing of what it says in the cause", async () => {
    const found = await ask(STORY, { detail: "x", exc_type: "https://evil.example/?token=1" });
    expect(JSON.stringify(found)).not.toMatch(/evil|token/);
  });
});

/** What a tray or a highlight lists. */
const listSchema = z.union([
  z.array(z.object({ pk: z.string() })),
  z
    .object({ reel: z.object({ items: z.array(z.object({ pk: z.string() })) }) })
    .transform(({ reel }) => reel.items),
]);

describe.runIf(inject("recordings").length > 0)("a recorded reply", () => {
  const recordings = inject("recordings")
    .filter(({ file }) => file.includes("/hiker-"))
    .map((row) => ({ ...row, service: serviceSchema.parse(row.file.replace(/\/.*$/, "")) }));
  const listed = (row: (typeof recordings)[number]) =>
    row.items.map((item) => `${item.type} ${item.file_name}`);

  const of = (service: Service) => recordings.filter((row) => row.service === service);

  it.each(of("photo-feed-story"))("gives each story that it lists: $file", async (row) => {
    const found: string[] = [];
    for (const { pk } of listSchema.parse(parseExactJson(row.body))) {
      const url = `https://www.instagram.com/stories/${row.author}/${pk}/`;
      const one = await ask(url, row.body);
      expect(one).toMatchObject({ value: { metadata: { author: row.author } } });
      found.push(...summary(one));
    }
    expect(found).toEqual(listed(row));
  });

  it.each(of("photo-feed-highlight"))("gives the items of the highlight: $file", async (row) => {
    const found = await ask(HIGHLIGHT, row.body);
    expect(row.post_url).toBe(HIGHLIGHT);
    expect(summary(found)).toEqual(listed(row));
    expect(found).toMatchObject({
      value: { metadata: { author: row.author, title: "Limitless" } },
    });
  });

  it.each(of("photo-feed"))("gives the post's media: $file", async (row) => {
    const code = row.post_url?.split("/").at(-2) ?? "";
    const { found } = await askPost(row.body, { code });
    expect(summary(found)).toEqual(listed(row));
    expect(found).toMatchObject({ value: { metadata: { author: row.author } } });
  });
});
