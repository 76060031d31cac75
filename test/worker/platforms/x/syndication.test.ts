import { describe, expect, it } from "vitest";
import { parseSyndication, syndicationToken } from "../../../../src/platforms/x/syndication.ts";
import { postAt, resolve, summary } from "../../../support/replies.ts";

const POST = postAt("https://x.com/sample/status/1", "microblog");

const PBS = "https://pbs.twimg.com";
const photo = (name: string, other: object = {}) => ({
  type: "photo",
  media_url_https: `https://pbs.twimg.com/media/${name}`,
  ext_media_availability: { status: "Available" },
  ...other,
});

const video = (...variants: readonly object[]) => ({
  type: "video",
  media_url_https: "https://pbs.twimg.com/poster.jpg",
  video_info: { variants },
});

const mp4 = (name: string, bitrate?: number) => ({
  content_type: "video/mp4",
  url: `https://video.twimg.com/${name}.mp4`,
  ...(bitrate === undefined ? {} : { bitrate }),
});

const HLS = { content_type: "application/x-mpegURL", url: "https://video.twimg.com/a.m3u8" };

const reply = (other: object) =>
  JSON.stringify({ __typename: "Tweet", id_str: "1", user: { screen_name: "sample" }, ...other });

const parse = (other: object) => parseSyndication(reply(other), POST);

const captionOf = (other: object) => {
  const found = parse({ mediaDetails: [photo("a.jpg")], ...other });
  return found.ok ? found.value.metadata.caption : null;
};

describe("syndicationToken", () => {
  it.each([
    ["20", "6dq1a2xwd93"],
    ["1628832338187636740", "3y54libozsy"],
    ["1683920951807971329", "42y6zv7ufp"],
    ["1872047986873885082", "4jd7nj3nj7"],
    ["1985465713096794294", "4t9ivqzln2"],
  ])("gives for %s the token that others compute", (id, token) => {
    expect(syndicationToken(id)).toBe(token);
  });
});

describe("parseSyndication takes", () => {
  it("photos in their original size, in order", () => {
    const found = parse({ mediaDetails: [photo("a.jpg"), photo("b.png?name=small")] });
    expect(found.ok && found.value.items).toEqual([
      { type: "image", url: "https://pbs.twimg.com/media/a.jpg?name=orig" },
      { type: "image", url: "https://pbs.twimg.com/media/b.png?name=orig" },
    ]);
  });

  it("of a video the MP4 of the best bit rate, never the playlist or the poster", () => {
    const variants = [HLS, mp4("low", 1), mp4("best", 300), mp4("mid", 20)];
    expect(summary(parse({ mediaDetails: [video(...variants)] }))).toEqual(["video best.mp4"]);
    expect(summary(parse({ mediaDetails: [video(HLS)] }))).toBe("MEDIA_NOT_FOUND");
    expect(summary(parse({ mediaDetails: [video()] }))).toBe("MEDIA_NOT_FOUND");
  });

  it("H.264 before HEVC, whatever the bit rate and the size", () => {
    const hevc = mp4("vid/hevc/1920x1080/hevc", 9_000_000);
    const marked = { ...mp4("marked", 8_000_000), content_type: 'video/mp4; codecs="hvc1.1.6"' };
    const plain = mp4("vid/avc1/1280x720/plain", 2_176_000);
    for (const variants of [
      [hevc, plain, marked],
      [plain, marked, hevc],
    ]) {
      expect(summary(parse({ mediaDetails: [video(...variants)] }))).toEqual(["video plain.mp4"]);
    }
  });

  it("HEVC where there is nothing else", () => {
    const hevc = mp4("vid/hevc/1920x1080/hevc", 9);
    expect(summary(parse({ mediaDetails: [video(HLS, hevc)] }))).toEqual(["video hevc.mp4"]);
  });

  it("the best bit rate also where the reply writes it as a string", () => {
    const text = (name: string, bitrate: string) => ({ ...mp4(name), bitrate });
    const variants = [text("low", "832000"), text("best", "2176000"), text("mid", "950000")];
    expect(summary(parse({ mediaDetails: [video(...variants)] }))).toEqual(["video best.mp4"]);
  });

  it("a GIF-like loop as a video", () => {
    const loop = { ...video(mp4("loop", 0)), type: "animated_gif" };
    expect(summary(parse({ mediaDetails: [loop] }))).toEqual(["video loop.mp4"]);
    const bare = { ...video(mp4("bare")), type: "animated_gif" };
    expect(summary(parse({ mediaDetails: [bare] }))).toEqual(["video bare.mp4"]);
  });

  it("the quoted post's media when it has none of its own, under its own name", () => {
    const quoted_tweet = { user: { screen_name: "other" }, mediaDetails: [photo("q.jpg")] };
    const found = parse({ quoted_tweet });
    expect(summary(found)).toEqual(["image q.jpg"]);
    expect(found.ok && found.value.metadata.author).toBe("sample");
    expect(summary(parse({ quoted_tweet, mediaDetails: [photo("a.jpg")] }))).toEqual([
      "image a.jpg",
    ]);
  });

  const other = {
    photos: [{ url: "https://pbs.twimg.com/media/p.jpg" }],
    video: (...sources: readonly string[]) => ({
      poster: "https://pbs.twimg.com/poster.jpg",
      mediaAvailability: { status: "available" },
      variants: sources.map((src) => ({
        type: src.endsWith(".m3u8") ? HLS.content_type : "video/mp4",
        src: `https://video.twimg.com/${src}`,
      })),
    }),
  };
  const film = other.video(
    "pl/a.m3u8",
    "vid/480x270/s.mp4",
    "vid/1280x720/l.mp4",
    "vid/640x360/m.mp4",
  );

  it.each([
    ["missing", {}],
    ["empty", { mediaDetails: [] }],
    ["without files", { mediaDetails: [{ type: "video" }, { type: "photo" }] }],
    ["with empty lists", { mediaDetails: [video()] }],
  ])("the other spelling of its media where the usual one is %s", (_what, usual) => {
    expect(summary(parse({ ...usual, photos: other.photos }))).toEqual(["image p.jpg"]);
    expect(summary(parse({ ...usual, photos: [], video: film }))).toEqual(["video l.mp4"]);
    const quoted_tweet = { ...usual, video: film };
    expect(summary(parse({ quoted_tweet }))).toEqual(["video l.mp4"]);
  });

  it("H.264 and never a playlist from the other spelling too", () => {
    const hevc = other.video("vid/hevc/1920x1080/h.mp4", "vid/avc1/640x360/plain.mp4");
    expect(summary(parse({ video: hevc }))).toEqual(["video plain.mp4"]);
    expect(summary(parse({ video: other.video("pl/a.m3u8") }))).toBe("MEDIA_NOT_FOUND");
  });

  it("its usual media alone where the other spelling shows it as well", () => {
    const mediaDetails = [photo("a.jpg"), video(mp4("b", 1))];
    expect(summary(parse({ mediaDetails, photos: other.photos, video: film }))).toEqual([
      "image a.jpg",
      "video b.mp4",
    ]);
  });

  it("what it knows where a medium of a new kind is among it, never its poster", () => {
    const hologram = { ...photo("poster.jpg"), type: "hologram" };
    expect(summary(parse({ mediaDetails: [photo("a.jpg"), hologram, photo("b.jpg")] }))).toEqual([
      "image a.jpg",
      "image b.jpg",
    ]);
  });

  it("the media of a promoted card", () => {
    const card = (type: string) => {
      const string_value = JSON.stringify({
        type,
        component_objects: { media_1: { type: "media", data: { id: "m1" } } },
        media_entities: { m1: video(mp4("card", 1)), m2: video(mp4("other", 1)) },
      });
      return { card: { binding_values: { unified_card: { string_value } } } };
    };
    expect(summary(parse(card("video_website")))).toEqual(["video card.mp4"]);
    expect(summary(parse(card("image_website")))).toEqual(["video card.mp4"]);
    const quoted_tweet = { mediaDetails: [photo("q.jpg")] };
    expect(summary(parse({ ...card("video_website"), quoted_tweet }))).toEqual(["video card.mp4"]);
    expect(summary(parse({ ...card("app"), quoted_tweet }))).toEqual(["image q.jpg"]);
    expect(summary(parse(card("app")))).toBe("MEDIA_NOT_FOUND");
  });

  it("the image of a promoted card, in its original size", () => {
    const string_value = JSON.stringify({
      type: "image_website",
      component_objects: { media_1: { data: { id: "m1" } } },
      media_entities: { m1: photo("card.jpg") },
    });
    const found = parse({ card: { binding_values: { unified_card: { string_value } } } });
    expect(found.ok && found.value.items).toEqual([
      { type: "image", url: "https://pbs.twimg.com/media/card.jpg?name=orig" },
    ]);
  });

  it("its own media alone, whatever it answers", () => {
    const parent = { id_str: "2", mediaDetails: [photo("parent.jpg")] };
    expect(summary(parse({ parent, mediaDetails: [photo("a.jpg")] }))).toEqual(["image a.jpg"]);
    expect(summary(parse({ parent, text: "@other words" }))).toBe("MEDIA_NOT_FOUND");
  });

  it("photos and videos together, in order, without those that are live streams", () => {
    const mediaDetails = [photo("a.jpg"), video(HLS), video(mp4("b", 1)), photo("c.jpg")];
    expect(summary(parse({ mediaDetails }))).toEqual(["image a.jpg", "video b.mp4", "image c.jpg"]);
  });

  it("a long post's text as far as the reply has it", () => {
    const note_tweet = { id: "Tm90ZQ==" };
    expect(captionOf({ note_tweet, text: "The first words\u2026" })).toBe("The first words\u2026");
  });

  it("its media also where the metadata has another form", () => {
    const odd = {
      ...{ text: 7, display_text_range: ["0", "5"], user: "sample" },
      entities: { urls: [{ href: "https://t.co/one" }], media: {} },
    };
    const found = parse({ ...odd, mediaDetails: [photo("a.jpg")] });
    expect(summary(found)).toEqual(["image a.jpg"]);
    expect(found).toMatchObject({ value: { metadata: { author: null, caption: "" } } });
  });

  it("the handle and no title", () => {
    const found = parse({ mediaDetails: [photo("a.jpg")] });
    expect(found).toMatchObject({ value: { metadata: { title: null, author: "sample" } } });
    const unnamed = parse({ mediaDetails: [photo("a.jpg")], user: null, entities: null });
    expect(unnamed).toMatchObject({ value: { metadata: { author: null } } });
  });
});

describe("parseSyndication makes the caption", () => {
  it("by code points of the visible range", () => {
    const text = "@someone 🌊🌊 waves https://t.co/med";
    expect(captionOf({ text, display_text_range: [9, 17] })).toBe("🌊🌊 waves");
  });

  it("without the link to the media at its end, wherever the range ends", () => {
    const entities = { media: [{ url: "http://t.co/med" }] };
    const text = "Words. http://t.co/med";
    expect(captionOf({ text, entities, display_text_range: [0, 22] })).toBe("Words.");
    expect(captionOf({ text, entities })).toBe("Words.");
    expect(captionOf({ text, entities, display_text_range: [0, 0] })).toBe("");
  });

  it("with other links as they lead, and entities decoded once", () => {
    const urls = [
      { url: "https://t.co/one", expanded_url: "https://example.org/?a=1&amp=2" },
      { url: "https://t.co/two" },
    ];
    const text = "a &amp;lt; b &gt; https://t.co/one https://t.co/two https://t.co/onetwo";
    expect(captionOf({ text, entities: { urls } })).toBe(
      "a &lt; b > https://example.org/?a=1&amp=2 https://t.co/two https://t.co/onetwo",
    );
  });
});

describe("parseSyndication fails", () => {
  const withheld = photo("a.jpg", { ext_media_availability: { status: "Unavailable" } });
  const withheldIn = photo("a.jpg", {
    ext_media_availability: { status: "unavailable", reason: "Geoblocked" },
  });

  it.each([
    "Age-restricted adult content. This content might not be appropriate for people under 18.",
    "You\u2019re unable to view this Post because this account owner limits who can view their Posts.",
    "This Post was deleted by the Post author.",
    "This Post is from a suspended account.",
  ])("with not found, and the platform's reason, for the tombstone %j", (text) => {
    const tombstone = { text: { text, entities: [] } };
    const body = JSON.stringify({ __typename: "TweetTombstone", tombstone });
    expect(parseSyndication(body, POST)).toMatchObject({
      failure: { kind: "notFound", cause: `tombstone: ${text}` },
    });
  });

  it.each([
    ["an empty object", "{}"],
    ["an empty body", " \n"],
    ["a tombstone without text", '{"__typename":"TweetTombstone"}'],
    ["text alone", reply({ text: "words" })],
    ["a link card", reply({ card: { name: "summary", binding_values: {} } })],
    ["a broadcast's card", reply({ card: { name: "3691233323:periscope_broadcast" } })],
    [
      "an audio space's card",
      reply({ card: { name: "3691233323:audiospace", binding_values: {} } }),
    ],
    [
      "a card of which nothing can be read",
      reply({ card: { binding_values: { unified_card: { string_value: "{" } } } }),
    ],
    ["an article", reply({ article: { cover_media: photo("cover.jpg") } })],
    ["a live stream alone", reply({ mediaDetails: [video(HLS)] })],
    ["a quoted post that is gone", reply({ quoted_tweet: { __typename: "TweetTombstone" } })],
    ["quoted media that is withheld", reply({ quoted_tweet: { mediaDetails: [withheld] } })],
    ["media that is withheld in a country", reply({ mediaDetails: [withheldIn] })],
    ["media that is withheld", reply({ mediaDetails: [withheld] })],
    [
      "withheld media beside a quoted photo",
      reply({ mediaDetails: [withheld], quoted_tweet: { mediaDetails: [photo("q.jpg")] } }),
    ],
    ["a medium of an unknown kind", reply({ mediaDetails: [{ type: "hologram" }] })],
  ])("with not found for %s", (_what, body) => {
    expect(summary(parseSyndication(body, POST))).toBe("MEDIA_NOT_FOUND");
  });

  const film = { poster: "https://pbs.twimg.com/poster.jpg" };
  const links = { media: [{ url: "https://t.co/med" }] };
  const photos = [{ url: "https://pbs.twimg.com/media/p.jpg" }];
  const variants = [{ type: "video/mp4", src: "https://video.twimg.com/a.mp4" }];

  it.each([
    ["a video without its variants", { mediaDetails: [{ ...video(), video_info: null }] }],
    ["a loop without them", { mediaDetails: [{ type: "animated_gif" }] }],
    ["a photo without its file", { mediaDetails: [{ type: "photo" }, photo("b.jpg")] }],
    ["a video of which the poster is left", { video: film }],
    [
      "a photo that is a video's poster",
      { mediaDetails: [{ ...photo(""), media_url_https: `${PBS}/ext_tw_video_thumb/1/a.jpg` }] },
    ],
    ["a poster among its photos", { photos: [{ url: `${PBS}/tweet_video_thumb/a.jpg` }] }],
    ["an avatar among its photos", { photos: [{ url: `${PBS}/profile_images/1/a.jpg` }] }],
    ["photos of another shape", { photos: [{ src: "https://pbs.twimg.com/media/p.jpg" }] }],
    ["photos that are no list", { photos: { first: photos[0] } }],
    ["photos and a video in no order", { photos, video: { ...film, variants } }],
    ["links to media alone", { entities: links }],
  ])("with invalid response for %s, also of the quoted post", (_what, other) => {
    expect(summary(parse(other))).toBe("UPSTREAM_INVALID_RESPONSE");
    expect(summary(parse({ quoted_tweet: other }))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it.each([
    ["whose video has no variants", { media_entities: { m: { type: "video" } } }],
    ["whose medium is not there", { media_entities: {} }],
    ["whose media has moved", { media: { m: photo("a.jpg") } }],
  ])("with invalid response for a promoted card %s", (_what, other) => {
    const component_objects = { media_1: { data: { id: "m" } } };
    const string_value = JSON.stringify({ type: "video_website", component_objects, ...other });
    const card = { binding_values: { unified_card: { string_value } } };
    expect(summary(parse({ card }))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("with not found for withheld photos, which the other spelling does not mark", () => {
    expect(summary(parse({ mediaDetails: [withheld], photos }))).toBe("MEDIA_NOT_FOUND");
    const unavailable = { mediaAvailability: { status: "unavailable" }, variants };
    expect(summary(parse({ video: unavailable }))).toBe("MEDIA_NOT_FOUND");
  });

  it.each([
    ["no JSON", "<html>"],
    ["cut JSON", reply({ mediaDetails: [photo("a.jpg")] }).slice(0, -9)],
    ["null", "null"],
    ["an unknown type", '{"__typename":"TweetHologram"}'],
    ["the post that a repost repeats", reply({ id_str: "3", mediaDetails: [photo("a.jpg")] })],
    ["another post", reply({ id_str: "2", mediaDetails: [photo("a.jpg")] })],
    ["a number for the id", reply({ id_str: 1, mediaDetails: [photo("a.jpg")] })],
    ["media that is no list", reply({ mediaDetails: "none" })],
  ])("with invalid response for %s", (_what, body) => {
    expect(summary(parseSyndication(body, POST))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("but returns what is left when some of the media is withheld", () => {
    expect(summary(parse({ mediaDetails: [withheld, photo("b.jpg")] }))).toEqual(["image b.jpg"]);
  });
});

describe("the syndication source", () => {
  const asking = async (...answers: readonly Response[]) => {
    const asked: string[] = [];
    const found = await resolve(POST, "microblog", (url) => {
      asked.push(url);
      return answers[asked.length - 1] ?? new Response("one too many", { status: 500 });
    });
    return { asked, outcome: summary(found) };
  };

  const page = (status: number, body = "<html>") => new Response(body, { status });

  it("asks once more before it believes that a post is missing", async () => {
    const good = () => page(200, reply({ mediaDetails: [photo("a.jpg")] }));
    expect((await asking(page(404), good())).outcome).toEqual(["image a.jpg"]);
    expect((await asking(page(200, "{}"), good())).outcome).toEqual(["image a.jpg"]);
    const twice = await asking(page(404), page(404));
    expect(twice.outcome).toBe("MEDIA_NOT_FOUND");
    expect(twice.asked).toHaveLength(2);
    expect((await asking(page(200, ""), page(200, "{}"))).outcome).toBe("MEDIA_NOT_FOUND");
    expect((await asking(page(404), page(429))).outcome).toBe("UPSTREAM_REJECTED");
  });

  it("takes a redirect to another host for a refusal", async () => {
    const headers = { location: "https://x.com/i/flow/login" };
    const { outcome } = await asking(new Response("", { status: 302, headers }));
    expect(outcome).toBe("UPSTREAM_REJECTED");
  });

  it.each([
    [401, "UPSTREAM_REJECTED"],
    [403, "UPSTREAM_REJECTED"],
    [429, "UPSTREAM_REJECTED"],
    [500, "UPSTREAM_ERROR"],
    [503, "UPSTREAM_ERROR"],
    [504, "UPSTREAM_TIMEOUT"],
    [400, "UPSTREAM_INVALID_RESPONSE"],
    [200, "UPSTREAM_INVALID_RESPONSE"],
  ])("takes status %i with a page for %s, asking once", async (status, code) => {
    const { asked, outcome } = await asking(page(status));
    expect(outcome).toBe(code);
    expect(asked).toEqual([
      `https://cdn.syndication.twimg.com/tweet-result?id=1&lang=en&token=${syndicationToken("1")}`,
    ]);
  });
});
