import { describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { isPost, readItem } from "../../../../src/platforms/instagram/item.ts";
import { codeOfPk, pkOfCode } from "../../../../src/platforms/instagram/shortcode.ts";
import { summary } from "../../../support/replies.ts";

const CDN = "https://scontent.cdninstagram.com";

/** Synthetic media; no real post, person or medium. */
const photo = (name: string) => ({
  media_type: 1,
  image_versions2: { candidates: [{ url: `${CDN}/${name}.jpg`, width: 1080, height: 1350 }] },
});
const video = (name: string) => ({
  ...photo(`${name}-poster`),
  media_type: 2,
  video_versions: [{ url: `${CDN}/${name}.mp4`, width: 720, height: 1280, type: 101 }],
});
const read = (item: unknown) => summary(readItem(item));

describe("codes and numbers", () => {
  it.each([
    ["aye83DjauH", "482584233761418119"],
    ["Chunk8-jurw", "2913440072144448240"],
    ["BQ0eAlwhDrw", "1455920561485265648"],
    ["Csthn7EO99u", "3111290796599140206"],
    ["Cs9iEotsiGY", "3115796369385857432"],
  ])("%s is %s", (code, pk) => {
    expect(pkOfCode(code)).toBe(pk);
    expect(codeOfPk(pk)).toBe(code);
    expect(pkOfCode(code + "x".repeat(28))).toBe(pk);
  });
});

describe("an item is the post", () => {
  const CODE = "Chunk8-jurw";
  const PK = "2913440072144448240";
  it.each([
    [true, { code: CODE }],
    [true, { pk: PK }],
    [true, { id: `${PK}_99` }],
    [true, { pk: Number(PK), id: `${PK}_99` }],
    [false, { pk: Number(PK) }],
    [false, { code: "Chunk8-jurx", pk: PK }],
    [false, { code: CODE.toLowerCase() }],
    [false, { pk: "2913440072144448241" }],
    [false, {}],
    [false, null],
    [false, "Chunk8-jurw"],
  ])("%s: %o", (is, item) => expect(isPost(item, CODE)).toBe(is));

  it("when it was shared in the long form", () => {
    expect(isPost({ code: CODE }, CODE + "y".repeat(28))).toBe(true);
  });
});

describe("an item", () => {
  it("is read in its best rendition", () => {
    const photos = photo("small").image_versions2.candidates;
    const best = { url: `${CDN}/best.jpg`, width: 1440, height: 1800 };
    expect(read({ image_versions2: { candidates: [...photos, best, ...photos] } })).toEqual([
      "image best.jpg",
    ]);
    const sizes = { width: 720, height: 1280 };
    const versions = [
      { url: `${CDN}/low.mp4`, width: 318, height: 318, type: 103 },
      { url: `${CDN}/first.mp4`, ...sizes, type: 101 },
      { url: `${CDN}/higher.mp4`, ...sizes, type: 102 },
      { url: `${CDN}/unsized.mp4`, type: 104 },
    ];
    expect(read({ video_versions: versions })).toEqual(["video higher.mp4"]);
  });

  it("is read in H.264 rather than HEVC, whatever the size", () => {
    const hevc = { url: `${CDN}/v/hevc/large.mp4`, width: 1080, height: 1920, type: 104 };
    const plain = { url: `${CDN}/v/small.mp4`, width: 720, height: 1280, type: 101 };
    for (const video_versions of [
      [hevc, plain],
      [plain, hevc],
    ]) {
      expect(read({ media_type: 2, video_versions })).toEqual(["video small.mp4"]);
    }
    expect(read({ media_type: 2, video_versions: [hevc] })).toEqual(["video large.mp4"]);
  });

  it("is read where its numbers are strings", () => {
    const [low, high] = [320, 1080].map((width) => {
      return { url: `${CDN}/${width}.mp4`, width: `${width}`, height: `${width}` };
    });
    const video_versions = [low, high];
    expect(read({ ...photo("poster"), media_type: "2", video_versions })).toEqual([
      "video 1080.mp4",
    ]);
    const carousel = { media_type: "8", carousel_media: [photo("1")], carousel_media_count: "1" };
    expect(read(carousel)).toEqual(["image 1.jpg"]);
    expect(read({ ...carousel, carousel_media_count: "2" })).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it.each([
    ["of a reel", { product_type: "clips" }],
    ["of an old long video", { product_type: "igtv" }],
    ["with a duration", { video_duration: 16.2 }],
    ["with a manifest", { video_dash_manifest: "<MPD>" }],
  ])("%s is never its poster, also without a type", (_, other) => {
    for (const media_type of [null, 2]) {
      const poster = { ...photo("poster"), media_type, ...other };
      expect(read(poster)).toBe("UPSTREAM_INVALID_RESPONSE");
      expect(read({ ...poster, video_versions: [] })).toBe("UPSTREAM_INVALID_RESPONSE");
      expect(read({ ...poster, ...video("v"), media_type })).toEqual(["video v.mp4"]);
    }
    const kind = { product_type: "feed", video_duration: 0, video_dash_manifest: "" };
    expect(read({ ...photo("p"), media_type: null, ...kind })).toEqual(["image p.jpg"]);
  });

  it("of a carousel is never its cover, also without a type and children", () => {
    const cover = { ...photo("cover"), media_type: null, product_type: "carousel_container" };
    expect(read(cover)).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("of a new kind is known by its video alone", () => {
    const hologram = { ...photo("poster"), media_type: 77 };
    expect(read(hologram)).toBe("UPSTREAM_INVALID_RESPONSE");
    expect(read({ ...video("v"), media_type: 77 })).toEqual(["video v.mp4"]);
    const children = [photo("1"), hologram, video("2")];
    for (const carousel_media_count of [3, null]) {
      const carousel = { media_type: 8, carousel_media: children, carousel_media_count };
      expect(read(carousel)).toEqual(["image 1.jpg", "video 2.mp4"]);
    }
    const short = { media_type: 8, carousel_media: children, carousel_media_count: 4 };
    expect(read(short)).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("of a carousel has its children in order, each of its own type", () => {
    const children = [photo("1"), video("2"), photo("3")];
    const carousel = { media_type: 8, carousel_media: children, carousel_media_count: 3 };
    expect(read(carousel)).toEqual(["image 1.jpg", "video 2.mp4", "image 3.jpg"]);
    expect(read({ ...carousel, ...photo("cover"), media_type: 8 })).toHaveLength(3);
    expect(read({ ...carousel, carousel_media_count: null })).toHaveLength(3);
  });

  it("gives author, caption and title, or null", () => {
    const user = { username: "sample", is_private: false };
    const whole = readItem({ ...photo("1"), user, caption: { text: "c" }, title: "t" });
    expect(whole).toMatchObject({
      value: { metadata: { author: "sample", caption: "c", title: "t" } },
    });
    expect(readItem({ ...photo("1"), caption: 7, title: {} })).toMatchObject({
      value: { metadata: { author: null, caption: null, title: null } },
    });
  });

  it("of an account that is private in another spelling is never given", () => {
    for (const is_private of ["true", 1]) {
      expect(read({ ...photo("1"), user: { is_private } })).toBe("UPSTREAM_INVALID_RESPONSE");
    }
  });

  it("of a private account is not there", () => {
    const user = { username: "sample", is_private: true };
    expect(read({ ...photo("1"), user })).toBe("MEDIA_NOT_FOUND");
  });

  it.each([
    ["a video without an address", { ...photo("poster"), media_type: 2 }],
    ["a video with an empty one", { ...video("1"), video_versions: [{ url: "" }] }],
    ["a child of it", { carousel_media: [photo("1"), { ...video("2"), video_versions: null }] }],
    ["fewer children", { carousel_media: [photo("1")], carousel_media_count: 2 }],
    ["no children", { ...photo("cover"), media_type: 8 }],
    ["no media at all", { code: "abc" }],
    ["media of another shape", { image_versions2: [] }],
    ["no object", null],
  ])("with %s is a failure of its source", (_, item) => {
    expect(read(item)).toBe("UPSTREAM_INVALID_RESPONSE");
  });
});

const recordedSchema = z.object({ items: z.array(z.unknown()).min(1) });
const recordings = inject("recordings").filter(({ file }) => /feed\/(v1|hiker-v2)-/.test(file));

it.each(recordings)("a recorded item gives what it shows: $file", (recording) => {
  const [item] = recordedSchema.parse(JSON.parse(recording.body)).items;
  const listed = recording.items.map(({ type, file_name }) => `${type} ${file_name}`);
  expect(read(item)).toEqual(listed);
  expect(readItem(item)).toMatchObject({ value: { metadata: { author: recording.author } } });
  const code = recording.post_url?.split("/").at(-2) ?? "";
  expect(isPost(item, code)).toBe(true);
  expect(isPost(item, "CAAAAAAAAAA")).toBe(false);
});
