import { describe, expect, inject, it } from "vitest";
import { type Service, serviceSchema } from "../../../src/contract/schemas.ts";
import { parsePermalink } from "../../../src/platforms/instagram/permalink.ts";
import { parsePlayer } from "../../../src/platforms/tiktok/player.ts";
import type { Recording } from "../../support/provided.ts";
import { postAt, resolve, summary } from "../../support/replies.ts";
import { sampled } from "../../support/source-replies.ts";

/** Recorded replies and bundled samples give what they are known to show. */

/** A post to ask for where a recording names none. */
const ANY_POST: Partial<Record<Service, string>> = {
  microblog: "https://x.com/any/status/1",
  "messenger-channel": "https://t.me/unlimitedhangout/1",
  pinboard: "https://www.pinterest.com/pin/1/",
};

const NAMED: Readonly<Record<string, string>> = {
  "pinboard/relay-storypin-cosmic.json": "https://www.pinterest.com/pin/52213676923889828/",
};

const FAILURES: Readonly<Record<string, string>> = {
  no_media: "MEDIA_NOT_FOUND",
  unavailable: "MEDIA_NOT_FOUND",
  media_too_big: "MEDIA_NOT_FOUND",
  not_found: "MEDIA_NOT_FOUND",
  no_message_markup: "UPSTREAM_INVALID_RESPONSE",
};

/** The index counts only a post's own media; the contract includes the quoted post's. */
const QUOTED: Readonly<Record<string, readonly string[]>> = {
  "microblog/synd-doc-tweet-with-quote-tweet.json": ["image FsZNOgcWAAEQtrd.jpg"],
};

/** Of the services whose recordings are whole replies; the others' tests read their own. */
const recordings = inject("recordings").flatMap((row) => {
  const service = serviceSchema.parse(row.file.replace(/\/.*$/, ""));
  const any = ANY_POST[service];
  if (any === undefined) return [];
  const isPost = /\d\/?$/.test(row.post_url ?? "");
  const post = postAt(NAMED[row.file] ?? (isPost ? row.post_url : null) ?? any, service);
  return [{ ...row, service, post }];
});

function shown(service: Service, { file, status, items }: Recording): readonly string[] | string {
  const listed = items.map((item) => `${item.type} ${item.file_name}`);
  const quoted = QUOTED[file];
  if (quoted !== undefined) return quoted;
  if (status === "ok") return listed;
  if (service === "pinboard") return "UPSTREAM_INVALID_RESPONSE";
  return FAILURES[status] ?? listed;
}

it.each(recordings)("a recorded reply gives what it shows: $file", async (recording) => {
  const { service, post, body, author } = recording;
  const found = await resolve(post, service, () => new Response(body));
  expect(summary(found)).toEqual(shown(service, recording));
  if (found.ok) expect(found.value.metadata.author).toBe(author);
});

it.each(recordings.filter(({ service }) => service === "pinboard"))(
  "a recorded reply gives nothing for another pin: $file",
  async ({ body, service }) => {
    const other = postAt("https://www.pinterest.com/pin/999999999999999999/", service);
    const found = await resolve(other, service, () => new Response(body));
    expect(summary(found)).toBe("UPSTREAM_INVALID_RESPONSE");
  },
);

const HLS = "0".repeat(31);
const numbered = (text: string, ...numbers: readonly number[]) =>
  numbers.map((number) => text.replace("#", String(number)));

/** By the sample's post. A post that is not here is one that resolves. */
const SHOWN: Readonly<Record<string, readonly string[] | string>> = {
  "https://x.com/sample_account/status/1900000000000000101": ["video sample-720p.mp4"],
  "https://x.com/sample_account/status/1900000000000000102": numbered(
    "image SAMPLEphoto000#.jpg",
    ...[1, 2, 3, 4],
  ),
  "https://x.com/sample_account/status/1900000000000000103": ["image SAMPLEquoted001.jpg"],
  "https://x.com/sample_account/status/1900000000000000104": "MEDIA_NOT_FOUND",
  "https://x.com/sample_account/status/1900000000000000105": "MEDIA_NOT_FOUND",
  "https://t.me/sample_channel/101": ["image sample-photo-101.jpg"],
  "https://t.me/sample_channel/110": [
    "image sample-photo-110.jpg",
    "video sample-video-111.mp4",
    "image sample-photo-112.jpg",
    "video sample-video-113.mp4",
  ],
  "https://t.me/sample_channel/111?single": ["video sample-video-111.mp4"],
  "https://t.me/sample_channel/404": "MEDIA_NOT_FOUND",
  "https://www.pinterest.com/pin/1000000000000000101/": ["image sample-image.jpg"],
  "https://www.pinterest.com/pin/1000000000000000102/": [`video ${HLS}2.mp4`],
  "https://www.pinterest.com/pin/1000000000000000103/": [
    "image sample-page-1.jpg",
    `video ${HLS}3.mp4`,
    "image sample-page-3.jpg",
  ],
  "https://www.pinterest.com/pin/1000000000000000104/": numbered(
    "image sample-slot-#.jpg",
    1,
    2,
    3,
  ),
  "https://www.pinterest.com/pin/1000000000000000105/": [`video ${HLS}5.mp4`],
  "https://www.pinterest.com/pin/1000000000000000106/": ["image sample-page.jpg"],
  "https://www.pinterest.com/pin/1000000000000000404/": "MEDIA_NOT_FOUND",
  "https://pin.it/Sample101": ["image sample-image.jpg"],
  "https://pin.it/Sample404": "MEDIA_NOT_FOUND",
  "https://www.instagram.com/stories/sample_account/3900000000000000101/": [
    "video sample-story-101.mp4",
  ],
  "https://www.instagram.com/stories/sample_account/3900000000000000102/": [
    "image sample-story-102.jpg",
  ],
  "https://www.instagram.com/stories/sample_account/3900000000000000103/": "MEDIA_NOT_FOUND",
  "https://www.instagram.com/stories/highlights/17900000000000201/": [
    "video sample-highlight-211.mp4",
    "image sample-highlight-212.jpg",
    "video sample-highlight-213.mp4",
  ],
  "https://www.instagram.com/p/CSampleCar1/": [
    "image sample-1-1440.jpg",
    "video sample-2-720.mp4",
    "image sample-3-1440.jpg",
  ],
  "https://www.instagram.com/reel/CSampleRel1/": ["video sample-reel-720.mp4"],
  "https://www.instagram.com/p/CSampleEmb1/": ["image sample-embed-1080.jpg"],
  "https://www.instagram.com/p/CSampleGat1/": "MEDIA_NOT_FOUND",
  "https://www.tiktok.com/@sample.account/video/7100000000000000101": [
    "video sample-normal_720.mp4",
  ],
  "https://www.tiktok.com/@sample.account/photo/7100000000000000102": [
    ...numbered("image sample-image-#.jpeg", 1, 2, 3),
    "audio sample-sound.mp3",
  ],
  "https://www.tiktok.com/@sample.account/video/7100000000000000103": "MEDIA_NOT_FOUND",
};

describe("a bundled sample", () => {
  const posts = inject("samples").filter(({ sourceUrl }) => sourceUrl !== null);

  it.each(posts)("is what its post asks for: $sourceUrl", async ({ service, sourceUrl }) => {
    const answer = (_: string, request: Request) =>
      sampled(request) ?? new Response("", { status: 502 });
    const variables = { HIKERAPI_KEY: "sample" };
    const post = postAt(sourceUrl ?? "", service);
    const found = await resolve(post, service, answer, variables);
    const expected = SHOWN[sourceUrl ?? ""];
    if (expected === undefined) expect(found).toMatchObject({ ok: true });
    else expect(summary(found)).toEqual(expected);
  });

  it("is there for every post that is expected here", () => {
    const known = posts.map(({ sourceUrl }) => sourceUrl);
    expect(Object.keys(SHOWN).filter((url) => !known.includes(url))).toEqual([]);
  });
});

it("a page or reply that has changed tells which field, and no address", () => {
  const feed = postAt("https://www.instagram.com/p/CSampleCar1/", "photo-feed");
  const video = postAt("https://www.tiktok.com/@a/video/7100000000000000101", "short-video");
  const body = (file: string) => inject("samples").find((row) => row.file === file)?.body ?? "";
  const renamed = body("photo-feed-carousel.html").replaceAll('carousel_media"', 'media_list"');
  const moved = body("short-video-video.json").replaceAll("url_list", "addresses");
  const other = body("short-video-video.json").replaceAll("7100000000000000101", "7");
  for (const [found, field] of [
    [parsePermalink(renamed, feed), "carousel_media"],
    [parsePlayer(moved, video), "video_info"],
    [parsePlayer(other, video), "items.id_str"],
  ] as const) {
    expect(found).toMatchObject({
      failure: { drift: { field, excerpt: expect.not.stringMatching(/https?:/) } },
    });
  }
});
