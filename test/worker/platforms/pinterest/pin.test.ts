import { describe, expect, it } from "vitest";
import { parsePinPage } from "../../../../src/platforms/pinterest/page.ts";
import type { PinDraft } from "../../../../src/platforms/pinterest/pin.ts";
import { parsePinResource } from "../../../../src/platforms/pinterest/resource.ts";
import { parsePinWidget } from "../../../../src/platforms/pinterest/widget.ts";
import type { Answer } from "../../../../src/upstream/answer.ts";
import { codeIn } from "../../../support/replies.ts";
import {
  ID,
  image,
  POST,
  page,
  pagePin,
  pin,
  resource,
  script2024,
  script2026,
  sized,
  video,
  widget,
} from "./pins.ts";

/** What a reply names and how much is guessed, or the failure's code. */
function outline(found: Answer<PinDraft>) {
  if (!found.ok) return codeIn(found.failure);
  return found.value.drafts.map(({ type, url, guesses }) =>
    guesses.length > 0 ? [type, url, ...guesses] : [type, url],
  );
}

const parse = (other: object) => outline(parsePinResource(resource(pin(other)), POST));

const parsePage = (...scripts: readonly string[]) => outline(parsePinPage(page(...scripts), POST));

const metadata = (other: object) => {
  const found = parsePinResource(resource(pin(other)), POST);
  return found.ok ? found.value.metadata : codeIn(found.failure);
};

const MP4 = (key: string, width = 720) => ({ url: video(`mc/${key}`, ".mp4"), width });
const HLS = { url: video("iht/hls", ".m3u8"), width: 720 };
const HEVC = { url: video("mc/hevcMp4", "_t5.mp4"), width: 1080 };
const DASH = { url: video("mc/dash", ".mpd"), width: 1080 };

const SIBLINGS = [
  video("iht/expMp4", "_720w.mp4"),
  video("iht/720p", ".mp4"),
  video("mc/720p", ".mp4"),
  video("iht/expMp4", "_t5.mp4"),
  video("mc/expMp4", "_t4.mp4"),
  video("mc/expMp4", "_t1.mp4"),
];

const videos = (list: object) => ({ videos: { video_list: list } });
const blocks = (...list: readonly object[]) => ({
  story_pin_data: { pages: list.map((block) => ({ blocks: [block] })) },
});
const imageBlock = (letter: string) => ({
  type: "story_pin_image_block",
  image: { images: { originals: { url: image("originals", letter) }, "736x": null } },
});
const videoBlock = (list: object) => ({
  type: "story_pin_video_block",
  video: { video_list: list },
});

describe("of an image pin", () => {
  it("the original is taken, never a smaller size", () => {
    expect(parse({})).toEqual([["image", image("originals")]]);
  });

  it("a smaller size is taken with a guess at the original, where that is not named", () => {
    expect(parse({ images: sized("a", "236x", "736x", "474x") })).toEqual([
      ["image", image("736x"), image("originals")],
    ]);
  });

  it("a GIF is an image, of the pin or embedded from the platform itself", () => {
    const gif = image("originals", "a", "gif");
    expect(parse({ images: { orig: { url: gif } } })).toEqual([["image", gif]]);
    expect(parse({ embed: { type: "gif", src: gif } })).toEqual([["image", gif]]);
    const foreign = { type: "gif", src: "https://gifs.example/a.gif" };
    expect(parse({ embed: foreign })).toEqual([["image", image("originals")]]);
  });

  it("a foreign player's image is taken", () => {
    const embed = { type: "video", src: "https://player.example/embed/1" };
    expect(parse({ embed, domain: "player.example" })).toEqual([["image", image("originals")]]);
  });
});

describe("of a video pin", () => {
  it("the progressive MP4 is taken: 720p, EXP7 to EXP3, then others by width", () => {
    const all = {
      V_HLSV4: HLS,
      V_EXP3: MP4("t1"),
      V_OTHER: MP4("other", 1080),
      V_EXP7: MP4("t5"),
      V_720P: MP4("720p"),
      V_EXP4: MP4("t2"),
      V_SMALL: MP4("small", 240),
      V_HEVC_MP4_T5_V2: HEVC,
      V_DASH_HEVC: DASH,
    };
    const order = ["720p", "t5", "t2", "t1", "other", "small"];
    const left = new Map(Object.entries(all));
    for (const best of order) {
      expect(parse(videos(Object.fromEntries(left)))).toEqual([["video", MP4(best).url]]);
      for (const [key, { url }] of left) if (url === MP4(best).url) left.delete(key);
    }
  });

  it("of a playlist alone the files that may lie beside it are guessed", () => {
    expect(parse(videos({ V_HLSV4: HLS, V_HLSV3_MOBILE: HLS }))).toEqual([
      ["video", null, ...SIBLINGS],
    ]);
    const versioned = { url: video("mc/hls", "_v2.m3u8") };
    expect(parse(videos({ V_HLSV4: versioned }))).toEqual([["video", null, ...SIBLINGS]]);
  });

  it("HEVC is taken only when there is nothing else", () => {
    expect(parse(videos({ V_HEVC_MP4_T1_V2: HEVC, V_HLSV4: HLS }))).toEqual([
      ["video", HEVC.url, ...SIBLINGS],
    ]);
  });

  it("a manifest or the poster is never taken", () => {
    expect(parse(videos({ V_DASH_HEVC: DASH }))).toEqual([["video", null]]);
    expect(parse(videos({}))).toEqual([["video", null]]);
    expect(parse({ videos: {} })).toEqual([["video", null]]);
    expect(parse({ is_video: true })).toEqual([["video", null]]);
  });
});

describe("of a pin that has lost a field", () => {
  const poster = "https://i.pinimg.com/videos/thumbnails/originals/aa/bb/cc/x.0000000.jpg";
  const changed = "UPSTREAM_INVALID_RESPONSE";

  it("a video's poster is never taken", () => {
    expect(parse({ video_info: { list: [MP4("720p")] } })).toBe(changed);
    expect(parse({ video_info: { playlist: HLS.url } })).toBe(changed);
    expect(parse({ images: { orig: { url: poster } } })).toBe(changed);
    expect(parse({ images: { ...sized("a", "originals"), small: { url: poster } } })).toBe(changed);
    expect(outline(parsePinWidget(widget({ id: ID, images: { "237x": poster } }), POST))).toBe(
      changed,
    );
  });

  it("a story's or a carousel's cover is never taken", () => {
    const pages = [{ id: "1" }, { id: "2" }];
    expect(parse({ story_pin_data: { pages } })).toBe(changed);
    expect(parse({ story_pin_data: { pages: pages.slice(1) } })).toEqual([
      ["image", image("originals")],
    ]);
    const slots = [{ picture: image("originals", "b") }];
    expect(parse({ carousel_data: { carousel_slots: slots } })).toBe(changed);
    expect(parse({ carousel_data: { slots } })).toBe(changed);
    expect(parse({ carousel_data: { carousel_slots: [] } })).toEqual([
      ["image", image("originals")],
    ]);
  });

  it("an image elsewhere is drift, an avatar alone is not found", () => {
    const none = { images: null };
    expect(parse({ ...none, picture: { large: image("736x") } })).toBe(changed);
    expect(parse({ ...none, image_large_url: image("originals") })).toBe(changed);
    const pinner = { username: "u", image_medium_url: image("75x75_RS", "e") };
    expect(parse({ ...none, pinner })).toBe("MEDIA_NOT_FOUND");
  });

  it("numbers may be strings", () => {
    const images = {
      small: { url: image("236x"), width: "236" },
      large: { url: image("736x"), width: "736" },
    };
    expect(parse({ images })).toEqual([["image", image("736x"), image("originals")]]);
    const list = { V_A: { ...MP4("a"), width: "240" }, V_B: { ...MP4("b"), width: "1080" } };
    expect(parse(videos(list))).toEqual([["video", MP4("b").url]]);
  });
});

describe("of a story pin", () => {
  it("every page's media is taken in order, with sounds at the end", () => {
    const music = { type: "story_pin_music_block", audio: { audio_url: video("a", ".m4a") } };
    const story = blocks(
      music,
      imageBlock("f"),
      videoBlock({ V_EXP7: MP4("t5") }),
      imageBlock("e"),
    );
    expect(parse(story)).toEqual([
      ["image", image("originals", "f")],
      ["video", MP4("t5").url],
      ["image", image("originals", "e")],
      ["audio", video("a", ".m4a")],
    ]);
  });

  it("no more blocks and sizes are looked at than a story could have", () => {
    const images = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, nth) => [`${nth}x`, { url: image("100x", "a") }]),
    );
    const story = blocks(...Array.from({ length: 2_000 }, () => imageBlock("f")));
    const [page] = story.story_pin_data.pages;
    const pages = [{ ...page, image: { images } }, ...story.story_pin_data.pages];
    expect(parse({ story_pin_data: { pages } })).toHaveLength(100);
  });

  it("words, links and stickers are left out, and unknown blocks without an image", () => {
    const sticker = { image: { images: { originals: { url: image("originals", "b") } } } };
    const decoration = [
      { type: "story_pin_paragraph_block", text: "words" },
      { type: "story_pin_product_sticker_block", ...sticker },
      { type: "story_pin_static_sticker_block", ...sticker },
      { type: "story_pin_music_block" },
      { type: "story_pin_hologram_block" },
    ];
    expect(parse(blocks(...decoration, imageBlock("f")))).toEqual([
      ["image", image("originals", "f")],
    ]);
    expect(
      parse(blocks({ ...imageBlock("f"), type: "story_pin_hologram_block" }, ...decoration)),
    ).toEqual([["image", image("originals", "f")]]);
  });

  it("the one block of a pin is the pin's own image", () => {
    expect(parse(blocks({ ...imageBlock("f"), image: null }))).toEqual([
      ["image", image("originals")],
    ]);
    expect(parse({ ...blocks(imageBlock("f")), images: sized("a", "736x") })).toEqual([
      ["image", image("originals", "f")],
    ]);
  });

  it("a block with a signature alone is guessed, in each of the endings", () => {
    const image_signature = `aabbcc${"f".repeat(26)}`;
    const signed = { type: "story_pin_image_block", image_signature };
    const guesses = ["jpg", "png", "webp"].map((ending) => image("originals", "f", ending));
    expect(parse(blocks(signed, imageBlock("e")))).toEqual([
      ["image", null, ...guesses],
      ["image", image("originals", "e")],
    ]);
    const odd = { type: "story_pin_image_block", image_signature: "../../x" };
    expect(parse(blocks(odd, imageBlock("e")))).toEqual([["image", image("originals", "e")]]);
  });

  it("any block with a video is one, and a playlist is guessed at", () => {
    const unknown = { type: "story_pin_hologram_block", video: { video_list: { V_HLSV4: HLS } } };
    expect(parse(blocks(unknown))).toEqual([["video", null, ...SIBLINGS]]);
  });

  it("without any media the pin's own image is taken", () => {
    expect(parse({ story_pin_data: { pages: [] } })).toEqual([["image", image("originals")]]);
  });
});

describe("of a carousel", () => {
  it("every slot is taken in order, as the original or with a guess at it", () => {
    const carousel_slots = [
      { id: "1", images: sized("a", "736x", "originals") },
      { id: "2", images: sized("b", "236x", "736x") },
      { id: "3", images: sized("c", "736x"), ...videos({ V_720P: MP4("720p") }) },
    ];
    expect(parse({ carousel_data: { carousel_slots } })).toEqual([
      ["image", image("originals", "a")],
      ["image", image("736x", "b"), image("originals", "b")],
      ["video", MP4("720p").url],
    ]);
  });
});

describe("the metadata", () => {
  it("is the first text that is not blank, with entities decoded", () => {
    expect(metadata({ title: " ", grid_title: "Grid &amp; title", description: "Words" })).toEqual({
      title: "Grid & title",
      author: "sample_user",
      caption: "Words",
    });
    const texts = { closeup_unified_description: " first\n", description: "second" };
    expect(metadata({ ...texts, title: "own", grid_title: "grid" })).toMatchObject({
      title: "own",
      caption: "first",
    });
    expect(metadata({ seo_description: "seo" })).toMatchObject({ title: null, caption: "seo" });
  });

  it("is null where it has another form, and the pin has its media all the same", () => {
    const odd = {
      title: 7,
      description: ["words"],
      pinner: "user",
      native_creator: { username: 7 },
    };
    expect(metadata(odd)).toEqual({ title: null, author: null, caption: null });
    expect(parse(odd)).toEqual([["image", image("originals")]]);
  });

  it("names who saved the pin, then its creator, then whom it is attributed to", () => {
    const creator = { native_creator: { username: "creator" } };
    expect(metadata(creator)).toMatchObject({ author: "sample_user" });
    expect(metadata({ ...creator, pinner: null })).toMatchObject({ author: "creator" });
    const attributed = { pinner: {}, closeup_attribution: { full_name: "Shop" } };
    expect(metadata(attributed)).toMatchObject({ author: "Shop" });
    expect(metadata({ pinner: null })).toMatchObject({ author: null });
  });
});

describe("the resource fails", () => {
  const failure = (code: number, http_status: number, message: string) =>
    resource(null, { status: "failure", code, http_status, message });

  it.each([
    ["code 50", failure(50, 200, "")],
    ["code 404", failure(404, 200, "")],
    ["HTTP status 404 inside", failure(0, 404, "")],
    ["its words", failure(1, 200, "Pin not found.")],
    ["a code in a string", failure(50, 200, "").replace('"code":50', '"code":"50"')],
    ["no media at all", resource({ id: ID })],
    ["no media but nulls", resource(pin({ images: null }))],
    ["a secret board", resource(pin({ board: { privacy: "secret" } }))],
  ])("with not found for %s", (_what, body) => {
    expect(outline(parsePinResource(body, POST))).toBe("MEDIA_NOT_FOUND");
  });

  it.each([
    ["a stale header", failure(12, 403, "Invalid Resource Request"), "UPSTREAM_INVALID_RESPONSE"],
    ["a refusal", failure(7, 403, "Not authorized"), "UPSTREAM_REJECTED"],
    ["a limit", failure(8, 429, "You are doing this too much"), "UPSTREAM_REJECTED"],
    ["an error", failure(11, 500, "Something went wrong"), "UPSTREAM_ERROR"],
    ["an unknown failure", failure(99, 200, "?"), "UPSTREAM_INVALID_RESPONSE"],
  ])("as it says for %s", (_what, body, code) => {
    expect(outline(parsePinResource(body, POST))).toBe(code);
  });

  it.each([
    ["no JSON", "<html>"],
    ["cut JSON", resource(pin()).slice(0, -9)],
    ["no envelope", "{}"],
    ["no data", resource(null)],
    ["data that is a list", resource([pin()])],
    ["another pin", resource(pin({ id: "2" }))],
    ["a number for the id", resource(pin({ id: 1 }))],
    ["no id", resource({ images: sized("a", "originals") })],
    ["a list for the images", resource(pin({ images: [1] }))],
    ["a number for the address", resource(pin({ images: { orig: { url: 1 } } }))],
    ["a story that is none", resource(pin({ story_pin_data: { pages: {} } }))],
  ])("with invalid response for %s", (_what, body) => {
    expect(outline(parsePinResource(body, POST))).toBe("UPSTREAM_INVALID_RESPONSE");
  });
});

it("a reply that nests without end is read as far as a pin goes", () => {
  const deep = `${'{"images":'.repeat(10_000)}1${"}".repeat(10_000)}`;
  const body = resource(pin({ deep: "DEEP", videos: "DEEP" })).replaceAll('"DEEP"', deep);
  expect(outline(parsePinResource(body, POST))).toEqual([["video", null]]);
  const script = script2024(pagePin({ deep: "DEEP" })).replace('"DEEP"', deep);
  expect(outline(parsePinPage(page(script), POST))).toEqual([["image", image("originals")]]);
});

describe("the page", () => {
  it("is not read where its script is longer than any that has a pin", () => {
    const long = (characters: number) => script2024(pagePin({ note: "x".repeat(characters) }));
    expect(parsePage(long(400_000))).toEqual([["image", image("originals")]]);
    expect(parsePage(long(500_000))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it.each([
    ["recorded in 2024", script2024],
    ["of 2026", script2026],
  ])("gives the pin's original in the layout %s", (_what, script) => {
    expect(parsePage(script(pagePin()))).toEqual([["image", image("originals")]]);
    const newer = { imageSpec_orig: null, images_orig: { url: image("originals", "b") } };
    expect(parsePage(script(pagePin(newer)))).toEqual([["image", image("originals", "b")]]);
  });

  it("gives a story's videos and images, whichever of its fields has them", () => {
    const storyPinData = (blocks: readonly object[]) => ({ storyPinData: { pages: [{ blocks }] } });
    const lists = { videoListEXP7: { vEXP7: MP4("t5") }, videoList720P: { v720P: MP4("720p") } };
    const inline = { __typename: "StoryPinVideoBlock", videoData: lists, video: { videoList: {} } };
    const newer = {
      __typename: "StoryPinVideoBlock",
      videoDataV2: { videoListEXP7: lists.videoListEXP7 },
    };
    const picture = { images: { orig: { url: image("originals", "f") } } };
    const still = { __typename: "StoryPinImageBlock", imageData: picture, video: null };
    expect(parsePage(script2026(pagePin(storyPinData([inline, newer, still]))))).toEqual([
      ["video", MP4("720p").url],
      ["video", MP4("t5").url],
      ["image", image("originals", "f")],
    ]);
  });

  it("gives an image block its page's picture where the block has none", () => {
    const still = { __typename: "StoryPinImageBlock" };
    const pages = ["e", "f"].map((letter) => ({
      blocks: [still],
      imageSpec_orig: { url: image("originals", letter) },
    }));
    expect(parsePage(script2024(pagePin({ storyPinData: { pages } })))).toEqual([
      ["image", image("originals", "e")],
      ["image", image("originals", "f")],
    ]);
  });

  it("gives a carousel's slots", () => {
    const slots = ["e", "f"].map((letter) => ({
      images_orig: { url: image("originals", letter) },
    }));
    expect(parsePage(script2026(pagePin({ carouselData: { carousel_slots: slots } })))).toEqual([
      ["image", image("originals", "e")],
      ["image", image("originals", "f")],
    ]);
  });

  it("is put together from all of the pin's scripts, the longest first", () => {
    const stub = { pages: [{ blocks: [{ __typename: "StoryPinVideoBlock" }] }] };
    const lists = { videoList720P: { v720P: MP4("720p") } };
    const whole = { pages: [{ blocks: [{ __typename: "StoryPinVideoBlock", videoData: lists }] }] };
    const short = script2024({ entityId: ID, storyPinData: stub, gridTitle: "Title" });
    const long = script2024(pagePin({ storyPinData: whole, gridTitle: null }));
    for (const scripts of [
      [short, long],
      [long, short],
    ]) {
      const found = parsePinPage(page(...scripts), POST);
      expect(outline(found)).toEqual([["video", MP4("720p").url]]);
      expect(found).toMatchObject({ value: { metadata: { title: "Title" } } });
    }
  });

  it("is the pin's when another pin's address is its canonical one", () => {
    const join = (path: string) => ({ entityId: "2", pinJoin: { seoCanonicalUrl: path } });
    for (const path of [`/pin/${ID}/`, `/pin/some-words--${ID}/`]) {
      expect(parsePage(script2024(pagePin(join(path))))).toEqual([["image", image("originals")]]);
    }
    expect(parsePage(script2024(pagePin(join(`/pin/${ID}9/`))))).toBe("UPSTREAM_INVALID_RESPONSE");
    expect(parsePage(script2024(pagePin(join(`/${ID}/`))))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("says not found where the platform says so", () => {
    const gone = JSON.stringify({ data: { v3GetPinQueryv2: { __typename: "PinNotFound" } } });
    expect(parsePage(`<script>${gone}</script>`)).toBe("MEDIA_NOT_FOUND");
  });

  it.each([
    ["a page without scripts of the pin", ""],
    ["a cut script", script2024(pagePin()).slice(0, -30)],
    ["another pin", script2024(pagePin({ entityId: "2", title: ID }))],
    [
      "a pin beside the page's own",
      script2024({}).replace('"data":{}', `"more":[${JSON.stringify(pagePin())}]`),
    ],
    [
      "another query's pin in the same script",
      script2024(null).replace(
        '"data":null}',
        `"data":null},"v3Related":{"data":${JSON.stringify(pagePin())}}`,
      ),
    ],
    ["another query's pin", script2024(pagePin()).replace("v3GetPinQuery", "v3RelatedPinsQuery")],
    [
      "a profile that lists the pin",
      `<script id="__PWS_INITIAL_PROPS__" type="application/json">${JSON.stringify({
        initialReduxState: { pins: { [ID]: pin() } },
      })}</script>`,
    ],
    ["an image in the markup alone", `<img src="${image("originals")}" data-id="${ID}">`],
  ])("says invalid response for %s", (_what, script) => {
    expect(parsePage(script)).toBe("UPSTREAM_INVALID_RESPONSE");
  });
});

describe("the widget", () => {
  const small = { id: ID, images: sized("a", "237x", "564x"), description: "Words" };

  it("gives its largest image with a guess at the original", () => {
    const pinner = { full_name: "Sample", profile_url: "https://www.pinterest.com/sample_user/" };
    const found = parsePinWidget(widget({ ...small, pinner }), POST);
    expect(outline(found)).toEqual([["image", image("564x"), image("originals")]]);
    expect(found).toMatchObject({
      value: { metadata: { title: null, author: "sample_user", caption: "Words" } },
    });
  });

  it("gives its image where it says that there is no error", () => {
    for (const error of [null, false, ""]) {
      const found = outline(parsePinWidget(widget({ ...small, error }), POST));
      expect(found).toEqual([["image", image("564x"), image("originals")]]);
    }
  });

  it("gives no poster in place of a video", () => {
    expect(outline(parsePinWidget(widget({ ...small, is_video: true }), POST))).toEqual([
      ["video", null],
    ]);
  });

  it.each([
    ["an error", widget({ id: ID, error: { message: "Pin not found" } }), "MEDIA_NOT_FOUND"],
    ["an error that is a word", widget({ error: "gone" }), "MEDIA_NOT_FOUND"],
    ["an empty list", widget(), "MEDIA_NOT_FOUND"],
    ["a pin without media", widget({ id: ID }), "MEDIA_NOT_FOUND"],
    ["a failure", JSON.stringify({ status: "failure", code: 50, message: "" }), "MEDIA_NOT_FOUND"],
    ["another pin", widget({ ...small, id: "2" }), "UPSTREAM_INVALID_RESPONSE"],
    ["no list", JSON.stringify({ status: "success", data: small }), "UPSTREAM_INVALID_RESPONSE"],
    ["a list of nothing", widget(null), "UPSTREAM_INVALID_RESPONSE"],
    ["no JSON", "<html>", "UPSTREAM_INVALID_RESPONSE"],
  ])("fails for %s", (_what, body, code) => {
    expect(outline(parsePinWidget(body, POST))).toBe(code);
  });
});
