import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { serviceSchema } from "../../src/contract/schemas.ts";
import { readHighlight } from "../../src/platforms/hikerapi/highlight.ts";
import { readStory } from "../../src/platforms/hikerapi/story.ts";
import { readItem } from "../../src/platforms/instagram/item.ts";
import { parsePinResource } from "../../src/platforms/pinterest/resource.ts";
import { parsePlayer } from "../../src/platforms/tiktok/player.ts";
import { parseSyndication } from "../../src/platforms/x/syndication.ts";
import type { Post } from "../../src/search/resolver.ts";

/** The page on renditions: its examples are made into replies and read as the service reads them. */

const page = await readFile("infra/docs/renditions.md", "utf8");

/** One file of the page's words: `H.264 720`, `HEVC 1080`, `playlist 1080`. */
interface Rendition {
  readonly name: string;
  readonly codec: string;
  readonly size: number;
  readonly url: string;
}

function renditionOf(name: string): Rendition {
  const [codec = "", size = ""] = name.split(" ");
  const ending = codec === "playlist" ? "m3u8" : "mp4";
  const path = codec === "HEVC" ? "vid/hevc" : "vid/avc1";
  return { name, codec, size: Number(size), url: `https://cdn.example/${path}/${size}.${ending}` };
}

const sized = ({ url, size }: Rendition) => ({ url, width: size, height: 2 * size });
const POST: Post = {
  id: "1",
  owner: null,
  url: new URL("https://example.org/1"),
  isShortLink: false,
};
const TOOLS = { now: () => 0, log: () => {} };
const POSTER = "https://cdn.example/poster.jpg";
const story = (files: readonly Rendition[]) => ({
  ...{ pk: "1", media_type: 2, thumbnail_url: POSTER },
  // The provider names the first.
  ...{ video_url: files[0]?.url, video_versions: files.map(sized) },
});

/** Each platform's reply with these files, and what the service reads in it. */
const READERS: Readonly<Record<string, (files: readonly Rendition[]) => unknown>> = {
  "short-video": (files) => {
    const profiles = files.map(({ codec, size, url }) => ({
      codec_type: codec === "HEVC" ? "h265_hvc1" : "h264",
      play_addr: { url_list: [url], width: size, height: 2 * size },
    }));
    const item = { id_str: "1", video_info: { url_list: [""], profiles } };
    return parsePlayer(JSON.stringify({ status_code: 0, items: [item] }), POST);
  },
  microblog: (files) => {
    const variants = files.map(({ codec, size, url }) => ({
      content_type: codec === "playlist" ? "application/x-mpegURL" : "video/mp4",
      bitrate: size,
      url,
    }));
    const medium = { type: "video", media_url_https: POSTER, video_info: { variants } };
    const post = { __typename: "Tweet", id_str: "1", mediaDetails: [medium] };
    return parseSyndication(JSON.stringify(post), POST);
  },
  pinboard: (files) => {
    const listed = files.map((file, at) => [`V_${at}`, sized(file)]);
    const data = { id: "1", videos: { video_list: Object.fromEntries(listed) } };
    const reply = { resource_response: { status: "success", data } };
    return parsePinResource(JSON.stringify(reply), POST);
  },
  "photo-feed": (files) => readItem({ media_type: 2, video_versions: files.map(sized) }),
  "photo-feed-story": (files) => readStory(story(files), POST, TOOLS),
  "photo-feed-highlight": (files) => {
    // Its provider may name no file of its own.
    const item = { ...story(files), video_url: null };
    return readHighlight({ reels: { "highlight:1": { items: [item] } } }, POST, TOOLS);
  },
};

const rows = [...page.matchAll(/^\| `([\w-]+)` \| ([^|]+) \| ((?:H|n)[^|]*) \|$/gm)].map(
  ([, service = "", offered = "", given = ""]) => ({ service, offered, given }),
);

describe("the page on renditions", () => {
  it("shows an example for every platform whose reply lists several files", () => {
    expect(new Set(rows.map(({ service }) => service))).toEqual(new Set(Object.keys(READERS)));
  });

  it.each(rows)("tells what comes of $service: $offered", ({ service, offered, given }) => {
    for (const names of [offered.split(", "), offered.split(", ").reverse()]) {
      const files = names.map(renditionOf);
      const read = JSON.stringify(READERS[service]?.(files));
      const found = files.filter(({ url }) => read.includes(`"url":"${url}"`));
      expect(found.map(({ name }) => name)).toEqual(given === "nothing" ? [] : [given]);
      expect(read.includes('"ok":true')).toBe(given !== "nothing");
      if (given === "nothing") expect(read).toContain('"kind":"notFound"');
    }
  });

  it("has a row for every service", () => {
    const table = page.slice(page.indexOf("## By service"));
    for (const service of serviceSchema.options) expect(table).toMatch(`\`${service}\``);
  });
});
