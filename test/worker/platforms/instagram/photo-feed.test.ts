import { describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { parseEmbed } from "../../../../src/platforms/instagram/embed.ts";
import { parsePermalink } from "../../../../src/platforms/instagram/permalink.ts";
import { pkOfCode } from "../../../../src/platforms/instagram/shortcode.ts";
import { navigationHeaders } from "../../../../src/upstream/navigation.ts";
import { postAt, resolve, summary } from "../../../support/replies.ts";

const CODE = "CSampleCod1";
const PK = pkOfCode(CODE);
const POST = postAt(`https://www.instagram.com/p/${CODE}/?img_index=2`, "photo-feed");
const CDN = "https://scontent.cdninstagram.com";

/** Synthetic items and pages; no real post, person or medium. */
const photo = (name: string) => ({
  media_type: 1,
  image_versions2: { candidates: [{ url: `${CDN}/${name}.jpg`, width: 1080, height: 1350 }] },
});
const video = (name: string) => ({
  ...photo(`${name}-poster`),
  media_type: 2,
  video_versions: [{ url: `${CDN}/${name}.mp4`, width: 720, height: 1280, type: 101 }],
});
const ITEM = { ...photo("own"), code: CODE, pk: PK, user: { username: "sample" } };

const script = (
  value: unknown,
  attributes = 'type="application/json" data-content-len="1" data-sjs',
) => `<script ${attributes}>${typeof value === "string" ? value : JSON.stringify(value)}</script>`;

/** As deeply nested as on the platform. */
const wrapped = (inner: unknown, key = "xig_polaris_media") => {
  const result = { __bbox: { complete: true, result: { data: { [key]: inner } } } };
  const relay = ["RelayPrefetchedStreamCache", "next", [], ["adp_x", result]];
  return { require: [["ScheduledServerJS", "handle", null, [{ __bbox: { require: [relay] } }]]] };
};
const block = (item: object | null) =>
  script(wrapped({ code: CODE, pk: PK, gating_ruling: null, if_not_gated_logged_out: item }));
const page = (...parts: readonly string[]) =>
  `<!DOCTYPE html><html><head><title>Instagram</title></head><body>${parts.join("")}</body></html>`;
const read = (html: string) => summary(parsePermalink(html, POST));

describe("a permalink page", () => {
  it("gives the item of the post asked", () => {
    expect(read(page(block(ITEM)))).toEqual(["image own.jpg"]);
    expect(read(page(block({ ...ITEM, code: null, pk: PK })))).toEqual(["image own.jpg"]);
    const items = { items: [ITEM] };
    const legacy = script(wrapped(items, "xdt_api__v1__media__shortcode__web_info"));
    expect(read(page(legacy))).toEqual(["image own.jpg"]);
  });

  it("is read whatever the order of a block's attributes", () => {
    const data = wrapped({ if_not_gated_logged_out: ITEM });
    const tag = 'data-sjs nonce="x" data-content-len="9" type="application/json"';
    expect(read(page(script(data, tag)))).toEqual(["image own.jpg"]);
  });

  it("never gives one of the other posts that it carries", () => {
    const other = { ...photo("other"), code: "COtherCode1", pk: pkOfCode("COtherCode1") };
    expect(read(page(block(other), block(ITEM), block(other)))).toEqual(["image own.jpg"]);
    const others = script(wrapped({ code: CODE.toLowerCase(), items: [other, { note: CODE }] }));
    expect(read(page(others))).toBe("UPSTREAM_INVALID_RESPONSE");
    expect(read(page(script(wrapped(other))))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("is not gated where another post is", () => {
    const gate = { code: "COtherCode1", if_not_gated_logged_out: null };
    expect(read(page(script(wrapped([gate, ITEM]))))).toEqual(["image own.jpg"]);
    expect(read(page(script(wrapped({ shortcode: CODE, if_not_gated_logged_out: null }))))).toBe(
      "MEDIA_NOT_FOUND",
    );
  });

  it("gives an item that is named by what wraps it", () => {
    const wrapper = { code: CODE, if_not_gated_logged_out: photo("own") };
    expect(read(page(script(wrapped(wrapper))))).toEqual(["image own.jpg"]);
    const foreign = { ...wrapper, code: "COtherCode1", note: CODE };
    expect(read(page(script(wrapped(foreign))))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("gives the whole item, whichever stubs stand before and behind it", () => {
    const children = { carousel_media: [photo("1"), video("2")], carousel_media_count: 2 };
    const whole = { ...ITEM, ...children, media_type: 8 };
    const blocks = [block(ITEM), block({ ...ITEM, ...video("3") }), block(whole), block(ITEM)];
    expect(read(page(...blocks))).toEqual(["image 1.jpg", "video 2.mp4"]);
  });

  it("with the long form of a code is asked for in full and read by the post's own", async () => {
    const long = postAt(`https://www.instagram.com/p/${CODE}${"x".repeat(28)}/`, "photo-feed");
    const asked: string[] = [];
    const found = await resolve(long, "photo-feed", (url) => {
      asked.push(url);
      return new Response(page(block(ITEM)));
    });
    expect(summary(found)).toEqual(["image own.jpg"]);
    expect(asked).toEqual([`https://www.instagram.com/p/${CODE}${"x".repeat(28)}/`]);
  });

  it("takes a list in an item's place for an item without media", () => {
    const list = { code: CODE, if_not_gated_logged_out: [photo("own")] };
    expect(read(page(script(wrapped({ ...list, ...photo("own") }))))).toEqual(["image own.jpg"]);
    expect(read(page(script(wrapped({ ...list, video_versions: [] }))))).toBe(
      "UPSTREAM_INVALID_RESPONSE",
    );
  });

  it("is not searched beyond the blocks that any page has", () => {
    const stub = script(wrapped({ code: CODE, video_versions: [] }));
    const stubs = (count: number) => Array.from({ length: count }, () => stub);
    expect(read(page(...stubs(39), block(ITEM)))).toEqual(["image own.jpg"]);
    expect(read(page(...stubs(10_000), block(ITEM)))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  const login = '<form id="loginForm"><input name="username"></form>';
  const error = '{"polarisRouteConfig":{"pageID":"httpErrorPage"}}';
  const broken = JSON.stringify(wrapped({ if_not_gated_logged_out: ITEM })).slice(0, -9);
  it.each([
    ["gated", page(block(null)), "MEDIA_NOT_FOUND"],
    ["gated, beside an item", page(block(null), block(ITEM)), "MEDIA_NOT_FOUND"],
    [
      "of a private account",
      page(block({ ...ITEM, user: { is_private: true } })),
      "MEDIA_NOT_FOUND",
    ],
    [
      "on the private route",
      page(script({ tracePolicy: "polaris.privatePostPage" })),
      "MEDIA_NOT_FOUND",
    ],
    [
      "with the error title",
      page().replace("Instagram", "Page not found • Instagram"),
      "MEDIA_NOT_FOUND",
    ],
    [
      "with a title that speaks of an error",
      page(script(broken)).replace(">Instagram<", ">sample: Page not found<"),
      "UPSTREAM_INVALID_RESPONSE",
    ],
    ["on the error route", page(script(error)), "MEDIA_NOT_FOUND"],
    ["that is a shell", page(script({ route: { shortcode: CODE } })), "UPSTREAM_REJECTED"],
    ["that is a log-in", page(login), "UPSTREAM_REJECTED"],
    ["that is a challenge", page().replace("Instagram", "Challenge"), "UPSTREAM_REJECTED"],
    ["with a broken block", page(script(broken)), "UPSTREAM_INVALID_RESPONSE"],
    ["cut within its block", page(block(ITEM)).slice(0, -90), "UPSTREAM_INVALID_RESPONSE"],
    [
      "with an item without media",
      page(block({ code: CODE, pk: PK })),
      "UPSTREAM_INVALID_RESPONSE",
    ],
    ["with a video's poster", page(block({ ...ITEM, media_type: 2 })), "UPSTREAM_INVALID_RESPONSE"],
    ["that is empty", "", "UPSTREAM_INVALID_RESPONSE"],
  ])("%s says so", (_, html, code) => expect(read(html)).toBe(code));
});

describe("an embed page", () => {
  const shortcode = (media: object, key = "shortcode_media") => {
    const context = JSON.stringify({ gql_data: { [key]: { shortcode: CODE, ...media } } });
    const init = [["PolarisEmbedSimple", "init", [], [{ contextJSON: context }]]];
    return page(
      `<script>requireLazy(["x"],s=>s.handle(${JSON.stringify({ require: init })}))</script>`,
    );
  };
  const graphPhoto = (name: string) => ({
    display_url: `${CDN}/${name}.jpg`,
    dimensions: { width: 1440, height: 1800 },
    display_resources: [{ src: `${CDN}/${name}-640.jpg`, config_width: 640, config_height: 800 }],
  });
  const graphVideo = (name: string) => ({
    ...graphPhoto(`${name}-poster`),
    is_video: true,
    video_url: `${CDN}/${name}.mp4`,
  });
  const sidecar = (...nodes: readonly object[]) => ({
    __typename: "GraphSidecar",
    ...graphPhoto("cover"),
    edge_sidecar_to_children: { edges: nodes.map((node) => ({ node })) },
  });
  const media = (kind: string, shown: string, code = CODE) =>
    page(`<div class="Embed" data-media-type="Graph${kind}"><div class="Header">
      <a class="HoverCardProfile" href="https://www.instagram.com/sample/?utm_source=ig_embed">
      <span class="UsernameText">sample</span></a></div>
      <a class="EmbeddedMedia" href="https://www.instagram.com/p/${code}/?utm_source=ig_embed">${shown}</a>
      <span class="UsernameText">sample</span>
      <div class="Caption"><a class="CaptionUsername" href="/sample/">sample</a><br/><br/>One &amp; two<br/>
      three <a href="/explore/tags/x/">#x</a><div class="CaptionComments"><a>View all 7</a></div></div></div>
      <script>{"contextJSON":null}</script>`);
  const image = `<img class="EmbeddedMediaImage" alt="x" src="${CDN}/640.jpg?a=1&amp;b=2"
    srcset="${CDN}/640.jpg 640w, ${CDN}/1080.jpg?a=1&amp;b=2 1080w, ${CDN}/750.jpg 750w"/>`;
  const player = `<video class="EmbeddedMediaVideo" src="${CDN}/own.mp4?a=1&amp;b=2"></video>`;
  const readEmbed = async (html: string) => summary(await parseEmbed(html, POST));

  it.each(["<", "<br>"])("drifts where a caption has a megabyte of %s", async (unit) => {
    for (const sizeBytes of [10_000, 60_000, 1_000_000]) {
      const html = media("Image", image).replace("One", unit.repeat(sizeBytes / unit.length));
      expect(await readEmbed(html)).toBe("UPSTREAM_INVALID_RESPONSE");
    }
  });

  it("gives what its JSON holds", async () => {
    const whole = sidecar(graphPhoto("1"), graphVideo("2"), graphPhoto("3"));
    const listed = ["image 1.jpg", "video 2.mp4", "image 3.jpg"];
    expect(await readEmbed(shortcode(whole))).toEqual(listed);
    expect(await readEmbed(shortcode(whole, "xdt_shortcode_media"))).toEqual(listed);
    expect(await readEmbed(shortcode(graphVideo("own")))).toEqual(["video own.mp4"]);
    const owner = { username: "sample" };
    const captions = { edges: [{ node: { text: "c" } }] };
    const told = { ...graphPhoto("own"), owner, edge_media_to_caption: captions };
    expect(await parseEmbed(shortcode(told), POST)).toMatchObject({
      value: { metadata: { title: null, author: "sample", caption: "c" } },
    });
  });

  it("gives what its markup shows", async () => {
    const found = await parseEmbed(media("Image", image), POST);
    expect(found).toEqual({
      ok: true,
      value: {
        items: [{ type: "image", url: `${CDN}/1080.jpg?a=1&b=2` }],
        metadata: { title: null, author: "sample", caption: "One & two\nthree #x" },
      },
    });
    expect(await readEmbed(media("Video", image + player))).toEqual(["video own.mp4"]);
    const untyped = media("Image", image).replace(/ data-media-type="\w+"/, "");
    expect(await readEmbed(untyped)).toEqual(["image 1080.jpg"]);
  });

  it.each([
    ["a comma and a blank", ", "],
    ["a comma alone", ","],
    ["a comma and a line break", ",\n  "],
    ["blanks around a comma", " , "],
    ["a blank before a comma", " ,"],
  ])("gives the widest image of a srcset that separates by %s", async (_, separator) => {
    const named = (name: string) => `${CDN}/e35,s${name},x/${name}.jpg?a=1,2&amp;w=9w,7&amp;b=2`;
    const orders = [
      ["640", "1080", "750"],
      ["1080", "640", "750"],
      ["640", "750", "1080"],
    ];
    for (const order of orders) {
      const srcset = order.map((width) => `${named(width)} ${width}w`).join(separator);
      const shown = `<img class="EmbeddedMediaImage" src="${CDN}/src.jpg" srcset="${srcset}"/>`;
      expect(await parseEmbed(media("Image", shown), POST)).toMatchObject({
        value: { items: [{ url: `${CDN}/e35,s1080,x/1080.jpg?a=1,2&w=9w,7&b=2` }] },
      });
    }
  });

  it("gives the image's own address where its srcset has none", async () => {
    for (const srcset of ["", ",", "x 1w", `${CDN}/a.jpg`]) {
      const shown = `<img class="EmbeddedMediaImage" src="${CDN}/src.jpg" srcset="${srcset}"/>`;
      expect(await readEmbed(media("Image", shown))).toEqual(["image src.jpg"]);
    }
  });

  it("gives what it knows of a carousel with a medium of a new kind", async () => {
    const hologram = { ...graphPhoto("poster"), __typename: "XDTGraphHologram" };
    const listed = ["image 1.jpg", "video 2.mp4"];
    const whole = sidecar(graphPhoto("1"), hologram, graphVideo("2"));
    expect(await readEmbed(shortcode(whole))).toEqual(listed);
  });

  it("never gives a video's poster, whichever field says that it is a video", async () => {
    const { is_video, video_url, ...poster } = graphVideo("own");
    const typed = { ...poster, __typename: "XDTGraphVideo" };
    expect(await readEmbed(shortcode({ ...poster, video_url }))).toEqual(["video own.mp4"]);
    expect(await readEmbed(shortcode({ ...typed, video_url }))).toEqual(["video own.mp4"]);
    expect(await readEmbed(shortcode(typed))).toBe("UPSTREAM_REJECTED");
    expect(await readEmbed(shortcode({ ...poster, is_video }))).toBe("UPSTREAM_REJECTED");
    const child = sidecar(graphPhoto("1"), typed);
    expect(await readEmbed(shortcode(child))).toBe("UPSTREAM_REJECTED");
  });

  const kept = '<a class="WatchOnInstagram">Watch on Instagram</a>';
  const other = { ...graphPhoto("1"), shortcode: "COtherCode1" };
  it.each([
    ["another post's JSON", shortcode(other), "UPSTREAM_INVALID_RESPONSE"],
    [
      "JSON of a private account",
      shortcode({ ...graphPhoto("1"), owner: { is_private: true } }),
      "MEDIA_NOT_FOUND",
    ],
    [
      "a video without its file",
      shortcode({ ...graphVideo("1"), video_url: null }),
      "UPSTREAM_REJECTED",
    ],
    [
      "such a child",
      shortcode(sidecar(graphPhoto("1"), { ...graphVideo("2"), video_url: "" })),
      "UPSTREAM_REJECTED",
    ],
    ["a carousel without children", shortcode(sidecar()), "UPSTREAM_INVALID_RESPONSE"],
    [
      "a list without children, of no type",
      shortcode({ ...sidecar(), __typename: null }),
      "UPSTREAM_INVALID_RESPONSE",
    ],
    [
      "a medium of a new kind in its JSON",
      shortcode({ ...graphPhoto("poster"), __typename: "XDTGraphHologram" }),
      "UPSTREAM_INVALID_RESPONSE",
    ],
    ["such a medium in its markup", media("Hologram", image), "UPSTREAM_INVALID_RESPONSE"],
    ["no media in its JSON", shortcode({ title: "t" }), "UPSTREAM_INVALID_RESPONSE"],
    ["another post's markup", media("Image", image, "COtherCode1"), "UPSTREAM_INVALID_RESPONSE"],
    ["markup of no post", page(image), "UPSTREAM_INVALID_RESPONSE"],
    ["a carousel's first image", media("Sidecar", image), "UPSTREAM_INVALID_RESPONSE"],
    ["a carousel's first video", media("Sidecar", image + player), "UPSTREAM_INVALID_RESPONSE"],
    ["a video's poster", media("Video", image), "UPSTREAM_REJECTED"],
    [
      "a reel's poster, where the page does not say what it is",
      media("Image", image)
        .replace(/ data-media-type="\w+"/, "")
        .replace("/p/", "/reel/"),
      "UPSTREAM_REJECTED",
    ],
    ["a video kept from embedding", media("Image", image + kept), "UPSTREAM_REJECTED"],
    [
      "a player without a file",
      media("Image", `${image}<video class="EmbeddedMediaVideo">`),
      "UPSTREAM_REJECTED",
    ],
    [
      "its page for what is broken",
      page('<div class="EmbedBrokenMedia"></div>'),
      "UPSTREAM_REJECTED",
    ],
    ["nothing", page(), "UPSTREAM_REJECTED"],
  ])("with %s says so", async (_, html, code) => expect(await readEmbed(html)).toBe(code));
});

describe("an answer that is no page", () => {
  const REFUSED = { status: "fail", message: "Please wait a few minutes before you try again." };
  const to = (location: string) => new Response("", { status: 302, headers: { location } });
  const json = (body: object, status: number) => Response.json(body, { status });
  it.each([
    ["404", () => new Response("", { status: 404 }), "MEDIA_NOT_FOUND"],
    ["410", () => new Response("", { status: 410 }), "MEDIA_NOT_FOUND"],
    ["401", () => new Response("", { status: 401 }), "UPSTREAM_REJECTED"],
    ["403", () => new Response("", { status: 403 }), "UPSTREAM_REJECTED"],
    ["429", () => new Response("", { status: 429 }), "UPSTREAM_REJECTED"],
    ["a refusal in JSON", () => json(REFUSED, 200), "UPSTREAM_REJECTED"],
    ["one that wants a log-in", () => json({ require_login: true }, 401), "UPSTREAM_REJECTED"],
    ["a checkpoint", () => json({ message: "checkpoint_required" }, 400), "UPSTREAM_REJECTED"],
    ["a challenge", () => json({ message: "challenge_required" }, 400), "UPSTREAM_REJECTED"],
    ["the log-in", () => to("/accounts/login/?next=%2Fp%2Fx%2F"), "UPSTREAM_REJECTED"],
    ["the challenge page", () => to("https://www.instagram.com/challenge/"), "UPSTREAM_REJECTED"],
    ["consent", () => to("/consent/?flow=x"), "UPSTREAM_REJECTED"],
    ["the home page", () => to("https://www.instagram.com/"), "UPSTREAM_REJECTED"],
    ["another post", () => to("/p/COtherCode1/"), "UPSTREAM_REJECTED"],
    ["another host", () => to("https://evil.example/p/CSampleCod1/"), "UPSTREAM_REJECTED"],
    ["500", () => new Response("", { status: 500 }), "UPSTREAM_ERROR"],
    ["504", () => new Response("", { status: 504 }), "UPSTREAM_TIMEOUT"],
    ["more than 3 MB", () => new Response("x".repeat(3_000_001)), "UPSTREAM_INVALID_RESPONSE"],
  ])("but %s has its code", async (_, answer, code) => {
    expect(summary(await resolve(POST, "photo-feed", answer))).toBe(code);
  });
});

describe("the search", () => {
  const HOME = "https://www.instagram.com";

  it("asks the page as a browser does, in the form of the URL, then the embed", async () => {
    const asked: Request[] = [];
    const post = postAt(`${HOME}/someone/reel/${CODE}`, "photo-feed");
    await resolve(post, "photo-feed", (_, request) => {
      asked.push(request);
      return new Response(page());
    });
    expect(asked.map(({ url }) => url).slice(0, 2)).toEqual([
      `${HOME}/reel/${CODE}/`,
      `${HOME}/p/${CODE}/embed/captioned/`,
    ]);
    const dest = asked.map(({ headers }) => headers.get("sec-fetch-dest"));
    expect(dest.slice(0, 2)).toEqual(["document", "iframe"]);
    expect(asked[0]?.headers.get("sec-fetch-mode")).toBe("navigate");
    expect(asked[0]?.headers.has("cookie")).toBe(false);
  });

  it.each([
    ["Mozilla/5.0 (Windows NT 10.0) Chrome/141.0.0.0 Safari/537.36", '"Windows"'],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X) Chrome/141.0.0.0 Safari/537.36", '"macOS"'],
    ["Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0.0.0 Safari/537.36", '"Linux"'],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0", undefined],
  ])("contradicts its user agent nowhere: %s", (userAgent, platform) => {
    const headers = navigationHeaders(userAgent);
    expect(headers["sec-ch-ua-platform"]).toBe(platform);
    if (platform !== undefined) expect(headers["sec-ch-ua"]).toContain('"Google Chrome";v="141"');
  });

  it("follows the page to the post's other form, once", async () => {
    const found = await resolve(POST, "photo-feed", (url) =>
      url === `${HOME}/p/${CODE}/`
        ? new Response("", { status: 301, headers: { location: `/sample/reel/${CODE}/` } })
        : new Response(url === `${HOME}/sample/reel/${CODE}/` ? page(block(ITEM)) : ""),
    );
    expect(summary(found)).toEqual(["image own.jpg"]);
    const loop = { status: 301, headers: { location: `/p/${CODE}/` } };
    const lost = await resolve(POST, "photo-feed", () => new Response("", loop));
    expect(summary(lost)).toBe("UPSTREAM_REJECTED");
  });
});

const itemsSchema = z.object({ items: z.array(z.unknown()).min(1) });
const recordings = inject("recordings").filter(({ file }) => file.startsWith("photo-feed/"));

it.each(recordings.filter(({ file }) => /\/(v1|hiker-v2)-/.test(file)))(
  "a recorded item within a page gives what it shows: $file",
  async ({ body, post_url, items, author }) => {
    const post = postAt(post_url ?? "", "photo-feed");
    const [item] = itemsSchema.parse(JSON.parse(body)).items;
    const media = wrapped({ code: post.id, if_not_gated_logged_out: item });
    const found = await resolve(
      post,
      "photo-feed",
      () => new Response(page(block(ITEM), script(media))),
    );
    expect(summary(found)).toEqual(items.map(({ type, file_name }) => `${type} ${file_name}`));
    expect(found).toMatchObject({ value: { metadata: { author } } });
  },
);

it.each(recordings.filter(({ file }) => /\/(page|fail)-/.test(file)))(
  "a recorded refusal is one: $file",
  async ({ body, post_url }) => {
    const post = post_url === null ? POST : postAt(post_url, "photo-feed");
    const found = await resolve(post, "photo-feed", () => new Response(body));
    expect(summary(found)).toBe("UPSTREAM_REJECTED");
  },
);
