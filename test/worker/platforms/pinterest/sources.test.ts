import { describe, expect, it } from "vitest";
import { createResolvers } from "../../../../src/platforms/registry.ts";
import { timer } from "../../../../src/runtime/timer.ts";
import { search } from "../../../../src/search/search.ts";
import { noBreaker, postAt, resolve, summary } from "../../../support/replies.ts";
import { RESOLVERS } from "../../../support/resolvers.ts";
import { testSettings } from "../../../support/settings.ts";
import {
  ID,
  image,
  POST,
  page,
  pagePin,
  pin,
  resource,
  script2024,
  sized,
  video,
  widget,
} from "./pins.ts";

const RESOURCE = /^https:\/\/www\.pinterest\.com\/resource\/PinResource\/get\/\?/;
const PAGE = `https://www.pinterest.com/pin/${ID}/`;
const WIDGET = `https://widgets.pinterest.com/v3/pidgets/pins/info/?pin_ids=${ID}&sub=www&base_scheme=https`;

type Answers = Readonly<Record<string, () => Response>>;

/** Asks with the given answers, by `resource` or URL. Every other URL gets 403. */
const asking = async (answers: Answers, post = POST) => {
  const asked: string[] = [];
  const found = await resolve(post, "pinboard", (url, { method }) => {
    const name = RESOURCE.test(url) ? "resource" : url;
    asked.push(method === "GET" ? name : `${method} ${name}`);
    return answers[name]?.() ?? new Response("", { status: 403 });
  });
  return { asked, outcome: summary(found), found };
};

const body =
  (text: string, status = 200) =>
  () =>
    new Response(text, { status });
const file = (type: string) => () => new Response(null, { headers: { "content-type": type } });
const to = (location: string) => () => new Response("", { status: 302, headers: { location } });

const GOOD = body(resource(pin()));
const GOOD_PAGE = body(page(script2024(pagePin())));
const GOOD_WIDGET = body(widget({ id: ID, images: sized("a", "564x") }));

describe("the resource source", () => {
  it("asks as the platform's page does, with the header and fields of the configuration", async () => {
    const requests: Request[] = [];
    const variables = { PINBOARD_HANDLER: "www/other.js", PINBOARD_FIELD_SET: "few" };
    const { search: settings, platforms } = testSettings(variables);
    const fetch: typeof globalThis.fetch = async (input, init) => {
      requests.push(new Request(input, init));
      return GOOD();
    };
    const signal = new AbortController().signal;
    const options = {
      resolver: createResolvers(platforms).pinboard,
      post: POST,
      account: "test",
      maxResults: 1,
      now: Date.now,
      timer,
      log: () => {},
      note: () => {},
      breaker: noBreaker,
    };
    await search({ ...options, settings, fetch, signal });
    const [request] = requests;
    const query = new URL(request?.url ?? "").searchParams;
    expect(query.get("source_url")).toBe(`/pin/${ID}/`);
    expect(JSON.parse(query.get("data") ?? "")).toEqual({
      options: { id: ID, field_set_key: "few" },
      context: {},
    });
    expect(request?.headers.get("x-pinterest-pws-handler")).toBe("www/other.js");
    expect(request?.headers.get("x-requested-with")).toBe("XMLHttpRequest");
    expect(request?.headers.get("cookie")).toBeNull();
    expect(testSettings().platforms.pinterest).toEqual({
      PINBOARD_HANDLER: "www/pin/[id].js",
      PINBOARD_FIELD_SET: "detailed",
    });
  });

  const refused = (message: string) =>
    JSON.stringify({ resource_response: { status: "failure", http_status: 403, message } });

  it.each([
    ["status 404", body("", 404), "MEDIA_NOT_FOUND"],
    [
      "status 404 with words",
      body(resource(null, { status: "failure", code: 50 }), 404),
      "MEDIA_NOT_FOUND",
    ],
    ["a stale header", body(refused("Invalid Resource Request"), 403), "UPSTREAM_INVALID_RESPONSE"],
    ["a bad parameter", body(refused("Invalid parameter"), 403), "UPSTREAM_INVALID_RESPONSE"],
    ["status 403", body(refused("Forbidden"), 403), "UPSTREAM_REJECTED"],
    ["status 403 with a page", body("<html>", 403), "UPSTREAM_REJECTED"],
    ["status 429", body("", 429), "UPSTREAM_REJECTED"],
    ["a redirect to another host", to("https://login.example/"), "UPSTREAM_REJECTED"],
    ["a redirect to the log-in", to("/login/?next=x"), "UPSTREAM_REJECTED"],
    ["status 500", body("", 500), "UPSTREAM_ERROR"],
    ["status 504", body("", 504), "UPSTREAM_TIMEOUT"],
    ["a page with status 200", body("<html>"), "UPSTREAM_INVALID_RESPONSE"],
  ])("takes %s for what it is", async (_what, answer, code) => {
    const down = body("", 504);
    const { outcome } = await asking({ resource: answer, [PAGE]: down, [WIDGET]: down });
    expect(outcome).toBe(code);
  });
});

describe("the pinboard sources", () => {
  it("ask the resource alone when that has an answer", async () => {
    expect(await asking({ resource: GOOD })).toMatchObject({
      asked: ["resource"],
      outcome: [`image ${image("originals").split("/").at(-1)}`],
    });
    const gone = await asking({ resource: body("", 404), [PAGE]: GOOD_PAGE });
    expect(gone).toMatchObject({ asked: ["resource"], outcome: "MEDIA_NOT_FOUND" });
  });

  it("ask the page, then the widget, after any other failure", async () => {
    for (const bad of [body("<html>"), body("", 429), body("", 500), body(resource(null))]) {
      const second = await asking({ resource: bad, [PAGE]: GOOD_PAGE });
      expect(second).toMatchObject({ asked: ["resource", PAGE], found: { ok: true } });
      const third = await asking({ resource: bad, [PAGE]: bad, [WIDGET]: GOOD_WIDGET });
      expect(third.asked.slice(0, 3)).toEqual(["resource", PAGE, WIDGET]);
      expect(third.found.ok).toBe(true);
    }
  });

  it("ask for the same pin under every form of its address", async () => {
    for (const url of [
      `https://de.pinterest.com/pin/words--${ID}/`,
      `http://pinterest.co.uk/pin/${ID}/sent/?x=1`,
    ]) {
      const { asked } = await asking(
        { resource: body(""), [PAGE]: GOOD_PAGE },
        postAt(url, "pinboard"),
      );
      expect(asked).toEqual(["resource", PAGE]);
    }
  });

  it("report the refusal when the page and the widget are refused as well", async () => {
    expect((await asking({})).outcome).toBe("UPSTREAM_REJECTED");
    expect((await asking({ resource: body("<html>") })).outcome).toBe("UPSTREAM_REJECTED");
  });
});

describe("the page source", () => {
  const page404 = body("", 404);
  const pageOnly = async (answers: Answers) =>
    (await asking({ resource: body("", 504), [WIDGET]: body("", 504), ...answers })).outcome;

  it.each([
    ["status 404", { [PAGE]: page404 }, "MEDIA_NOT_FOUND"],
    ["status 403", {}, "UPSTREAM_REJECTED"],
    ["status 500", { [PAGE]: body("", 500) }, "UPSTREAM_ERROR"],
    ["a foreign redirect", { [PAGE]: to("https://elsewhere.example/") }, "UPSTREAM_REJECTED"],
    [
      "the log-in",
      { [PAGE]: to("/login/?next=1"), "https://www.pinterest.com/login/?next=1": GOOD_PAGE },
      "UPSTREAM_REJECTED",
    ],
    [
      "the home page",
      { [PAGE]: to("/?show_error=true"), "https://www.pinterest.com/?show_error=true": GOOD_PAGE },
      "MEDIA_NOT_FOUND",
    ],
    [
      "a profile",
      { [PAGE]: to("/someone/"), "https://www.pinterest.com/someone/": body(page()) },
      "UPSTREAM_INVALID_RESPONSE",
    ],
  ])("takes %s for what it is", async (_what, answers, code) => {
    expect(await pageOnly(answers)).toBe(code);
  });

  it("follows the platform to the pin's address with words", async () => {
    const slug = `https://www.pinterest.com/pin/words--${ID}/`;
    const answers = { [PAGE]: to(`/pin/words--${ID}/`), [slug]: GOOD_PAGE };
    expect(await pageOnly(answers)).toEqual([`image ${image("originals").split("/").at(-1)}`]);
  });
});

describe("what is derived", () => {
  const MP4 = file("video/mp4");
  const HLS = { url: video("iht/hls", ".m3u8") };
  const onlyHls = body(resource(pin({ videos: { video_list: { V_HLSV4: HLS } } })));
  const SIBLINGS = [
    video("iht/expMp4", "_720w.mp4"),
    video("iht/720p", ".mp4"),
    video("mc/720p", ".mp4"),
    video("iht/expMp4", "_t5.mp4"),
    video("mc/expMp4", "_t4.mp4"),
    video("mc/expMp4", "_t1.mp4"),
  ];
  const HEADS = SIBLINGS.map((url) => `HEAD ${url}`);

  it("is returned for a playlist alone once a HEAD request has found it", async () => {
    const third = SIBLINGS[2] ?? "";
    const { asked, found } = await asking({ resource: onlyHls, [third]: MP4 });
    expect(found).toMatchObject({ value: { items: [{ type: "video", url: third }] } });
    expect(asked).toEqual(["resource", ...HEADS.slice(0, 3)]);
  });

  it("is not found when no file lies beside the playlist, after six requests", async () => {
    const { asked, outcome } = await asking({ resource: onlyHls });
    expect(outcome).toBe("MEDIA_NOT_FOUND");
    expect(asked).toEqual(["resource", ...HEADS]);
  });

  it("is not taken when something else is served in its place", async () => {
    const pages = Object.fromEntries(SIBLINGS.map((url) => [url, file("text/html")]));
    expect((await asking({ resource: onlyHls, ...pages })).outcome).toBe("MEDIA_NOT_FOUND");
    const moved = Object.fromEntries(
      SIBLINGS.map((url) => [url, to("https://v1.pinimg.com/x.mp4")]),
    );
    const gone = await asking({ resource: onlyHls, ...moved, [PAGE]: GOOD_PAGE });
    expect(gone.asked.some((url) => url.endsWith("/x.mp4"))).toBe(false);
  });

  it("fails as the media host does when nobody can tell whether it is there", async () => {
    const down = Object.fromEntries(SIBLINGS.map((url) => [url, body("", 503)]));
    const { outcome } = await asking({
      resource: onlyHls,
      ...down,
      [PAGE]: body("", 504),
      [WIDGET]: body("", 504),
    });
    expect(outcome).toBe("UPSTREAM_ERROR");
  });

  it("costs six requests for all videos of a pin together", async () => {
    const block = (letter: string) => ({
      type: "story_pin_video_block",
      video: { video_list: { V_HLSV4: { url: video("iht/hls", ".m3u8", letter) } } },
    });
    const pages = ["a", "b", "c"].map((letter) => ({ blocks: [block(letter)] }));
    const { asked } = await asking({
      resource: body(resource(pin({ story_pin_data: { pages } }))),
    });
    expect(asked.filter((url) => url.startsWith("HEAD "))).toHaveLength(6);
  });

  const slots = ["b", "c"].map((letter) => ({ images: sized(letter, "236x", "736x") }));
  const carousel = body(resource(pin({ carousel_data: { carousel_slots: slots } })));

  it("is an image's original where it exists, and the largest that is named otherwise", async () => {
    const original = image("originals", "b");
    const { asked, found } = await asking({ resource: carousel, [original]: file("image/jpeg") });
    expect(found.ok && found.value.items).toEqual([
      { type: "image", url: original },
      { type: "image", url: image("736x", "c") },
    ]);
    expect(asked).toEqual(["resource", `HEAD ${original}`, `HEAD ${image("originals", "c")}`]);
  });

  it("does not stand in the way of what is named when the media host fails", async () => {
    const down = Object.fromEntries(
      ["b", "c"].map((name) => [image("originals", name), body("", 500)]),
    );
    const { found } = await asking({ resource: carousel, ...down });
    expect(found.ok && found.value.items.map(({ url }) => url)).toEqual([
      image("736x", "b"),
      image("736x", "c"),
    ]);
  });

  it("is looked for no further than media is wanted", async () => {
    const many = Array.from({ length: 20 }, (_, at) => {
      const letter = String.fromCharCode(97 + at);
      return { images: sized(letter, "736x") };
    });
    const answer = body(resource(pin({ carousel_data: { carousel_slots: many } })));
    for (const maxResults of [1, 5]) {
      const asked: string[] = [];
      const fetch: typeof globalThis.fetch = async (input) => {
        const { url } = new Request(input);
        asked.push(url);
        return RESOURCE.test(url) ? answer() : new Response("", { status: 403 });
      };
      const { search: settings } = testSettings();
      const signal = new AbortController().signal;
      const given = { resolver: RESOLVERS.pinboard, post: POST, account: "test", maxResults };
      const rest = {
        settings,
        signal,
        fetch,
        timer,
        breaker: noBreaker,
        log: () => {},
        note: () => {},
      };
      const found = await search({ ...given, ...rest, now: Date.now });
      expect(found.ok && found.value.items.length).toBe(maxResults);
      expect(asked).toHaveLength(1 + maxResults);
    }
  });

  it("is never looked for on a foreign host", async () => {
    const foreign = { "736x": { url: "https://evil.example/736x/aa/bb/cc/x.jpg", width: 736 } };
    const { asked, outcome } = await asking({ resource: body(resource(pin({ images: foreign }))) });
    expect(asked.filter((url) => url.includes("evil"))).toEqual([]);
    expect(outcome).not.toEqual(expect.arrayContaining([expect.stringContaining("x.jpg")]));
  });

  it("leaves no poster in place of a video that the widget names no file of", async () => {
    const still = body(widget({ id: ID, is_video: true, images: sized("a", "564x") }));
    const { outcome } = await asking({ resource: body(""), [PAGE]: body(""), [WIDGET]: still });
    expect(outcome).toBe("UPSTREAM_INVALID_RESPONSE");
  });
});
