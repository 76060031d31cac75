import { describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { parseShortVideoEmbed } from "../../../../src/platforms/tiktok/embed.ts";
import { parsePlayer } from "../../../../src/platforms/tiktok/player.ts";
import { parseWatch, readWatchItem } from "../../../../src/platforms/tiktok/watch.ts";
import { postAt, resolve, summary } from "../../../support/replies.ts";

const ID = "7000000000000000101";
const POST = postAt(`https://www.tiktok.com/@sample/photo/${ID}`, "short-video");
const CDN = "https://v16m.tiktokcdn.com";

/** Synthetic replies; no real post, person or medium. */
const profile = (
  name: string,
  codec: string | null,
  [width, height, bitrate]: readonly number[],
) => ({
  codec_type: codec,
  bitrate,
  play_addr: { width, height, url_list: ["", `${CDN}/${name}.mp4`] },
});
const ITEM = {
  id_str: ID,
  desc: "caption",
  author_info: { unique_id: "sample", nickname: "Sample" },
  video_info: { url_list: [`${CDN}/plain.mp4`], profiles: null },
};
const image = (name: string) => ({
  display_image: { url_list: [`${CDN}/${name}.heic`, `${CDN}/${name}.jpeg?x-expires=1`] },
});
const SLIDES = {
  ...ITEM,
  video_info: { url_list: [""] },
  image_post_info: { title: "title", images: [image("1"), image("2")] },
};
const SOUND = { music_info: { play_url: { url_list: [`${CDN}/sound.mp3`] } } };
const reply = (item: object | null, code = "ok", status = 0) =>
  JSON.stringify({
    status_code: status,
    items: item === null ? null : [item],
    results: [{ id_str: ID, code }],
  });

describe("the player's endpoint", () => {
  const read = (body: string) => summary(parsePlayer(body, POST));
  const among = (...profiles: readonly object[]) =>
    read(reply({ ...ITEM, video_info: { ...ITEM.video_info, profiles } }));

  it("gives H.264 first, then the larger, then the one of more bits", () => {
    const hevc = profile("hevc", "bytevc1", [1080, 1920, 9]);
    const small = profile("small", "h264", [576, 1024, 9]);
    const large = profile("large", "h264", [720, 1280, 1]);
    const rich = profile("rich", "h264", [720, 1280, 2]);
    expect(among(hevc, small, large, rich)).toEqual(["video rich.mp4"]);
    expect(among(hevc, small)).toEqual(["video small.mp4"]);
    expect(among(hevc, profile("unnamed", null, [1, 1, 1]))).toEqual(["video unnamed.mp4"]);
    expect(among({ ...hevc, play_addr: null }, small)).toEqual(["video small.mp4"]);
    expect(among(profile("own", "bytevc2", [1080, 1920, 9]))).toEqual(["video plain.mp4"]);
    expect(among()).toEqual(["video plain.mp4"]);
  });

  it("gives the default file, which is mostly H.264, before a marked HEVC file", () => {
    const hevc = profile("hevc", "h265_hvc1", [1080, 1920, 9]);
    expect(among(hevc)).toEqual(["video plain.mp4"]);
    const alone = (...url_list: readonly string[]) =>
      read(reply({ ...ITEM, video_info: { url_list, profiles: [hevc] } }));
    expect(alone("")).toEqual(["video hevc.mp4"]);
    const marked = `${CDN}/media-video-hvc1/marked.mp4`;
    expect(alone(marked, `${CDN}/second.mp4`)).toEqual(["video second.mp4"]);
    const named = profile("media-video-hvc1/named", "h264", [1080, 1920, 9]);
    expect(among(named, profile("av1", "av1", [1080, 1920, 9]))).toEqual(["video plain.mp4"]);
    expect(among(profile("own", "bytevc2", [1080, 1920, 9]))).toEqual(["video plain.mp4"]);
  });

  it("gives the larger also where sizes are strings", () => {
    const sized = (width: string) => ({
      ...{ codec_type: "h264", bitrate: "9" },
      play_addr: { width, height: width, url_list: [`${CDN}/${width}.mp4`] },
    });
    expect(among(sized("540"), sized("1080"), sized("720"))).toEqual(["video 1080.mp4"]);
  });

  it("looks at the first addresses of a file only", () => {
    const behind = (count: number) => {
      const url_list = [...Array.from({ length: count }, () => "no address"), `${CDN}/late.mp4`];
      return read(reply({ ...ITEM, video_info: { url_list } }));
    };
    expect(behind(19)).toEqual(["video late.mp4"]);
    expect(behind(20)).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("never gives a file with a watermark, or an image post's sound, as a video", () => {
    const only = (...url_list: readonly string[]) =>
      read(reply({ ...ITEM, video_info: { url_list } }));
    const wrong = [
      `${CDN}/aweme/v1/playwm/?video_id=1`,
      `${CDN}/marked.mp4?watermark=1`,
      `${CDN}/sound.m4a?a=1&mime_type=audio_mp4`,
    ];
    for (const url of wrong) {
      expect(only(url)).toBe("UPSTREAM_INVALID_RESPONSE");
      expect(only(url, `${CDN}/plain.mp4`)).toEqual(["video plain.mp4"]);
    }
  });

  it("gives no video where an image post has lost its images", () => {
    const sound = { ...ITEM, music_info: SOUND.music_info };
    for (const lost of [
      { ...sound, aweme_type: 150 },
      { ...sound, aweme_type: "150", image_post_info: { images: [] } },
      { ...sound, image_post_info: { title: "t", display_images: [image("1")] } },
    ]) {
      expect(read(reply(lost))).toBe("UPSTREAM_INVALID_RESPONSE");
    }
    const plain = { ...ITEM, aweme_type: 0 };
    expect(read(reply({ ...plain, image_post_info: { images: [] } }))).toEqual(["video plain.mp4"]);
    expect(read(reply({ ...plain, image_post_info: null }))).toEqual(["video plain.mp4"]);
  });

  it("reads lists of URLs in each of their spellings", () => {
    const url = `${CDN}/plain.mp4`;
    for (const url_list of [url, [{ url }], { url_list: [url] }, { urlList: [null, url] }]) {
      expect(read(reply({ ...ITEM, video_info: { url_list } }))).toEqual(["video plain.mp4"]);
    }
    const deep = { url: { url: { url: { url: { url } } } } };
    expect(read(reply({ ...ITEM, video_info: { url_list: deep } }))).toBe(
      "UPSTREAM_INVALID_RESPONSE",
    );
  });

  it("gives author and caption, and the title of an image post", () => {
    expect(parsePlayer(reply(ITEM), POST)).toMatchObject({
      value: { metadata: { title: null, author: "sample", caption: "caption" } },
    });
    expect(parsePlayer(reply(SLIDES), POST)).toMatchObject({
      value: { metadata: { title: "title" } },
    });
  });

  it("gives every image in order, as JPEG, and the sound behind them", () => {
    const images = ["image 1.jpeg", "image 2.jpeg"];
    expect(read(reply(SLIDES))).toEqual(images);
    expect(read(reply({ ...SLIDES, ...SOUND }))).toEqual([...images, "audio sound.mp3"]);
    const sound = { play_url: `${CDN}/sound.mp3` };
    expect(read(reply({ ...SLIDES, music_info: sound }))).toEqual([...images, "audio sound.mp3"]);
  });

  const holding = (url: string) => ({ ...ITEM, video_info: { url_list: [url] } });
  const half = { images: [image("1"), { display_image: { url_list: [""] } }] };
  it.each([
    ["nothing for deleted", reply(null, "nil_core_data"), "MEDIA_NOT_FOUND"],
    ["nothing for never there", reply(null, "item_not_exist"), "MEDIA_NOT_FOUND"],
    ["an id that is none", reply(null, "", 5), "MEDIA_NOT_FOUND"],
    ["a status in a string", reply(null, "").replace(":0,", ':"5",'), "MEDIA_NOT_FOUND"],
    ["busy", reply(null, "api_busy"), "UPSTREAM_ERROR"],
    ["unavailable", reply(null, "", 1), "UPSTREAM_ERROR"],
    ["an unknown code", reply(null, "something"), "UPSTREAM_INVALID_RESPONSE"],
    ["another item", reply({ ...ITEM, id_str: "7" }), "UPSTREAM_INVALID_RESPONSE"],
    ["an item without media", reply({ id_str: ID, desc: "d" }), "UPSTREAM_INVALID_RESPONSE"],
    ["an empty address", reply(holding("")), "UPSTREAM_INVALID_RESPONSE"],
    [
      "the site's own address",
      reply(holding("https://www.tiktok.com/aweme/v1/play/?x=1")),
      "UPSTREAM_INVALID_RESPONSE",
    ],
    [
      "an address bound to a visit",
      reply(holding(`${CDN}/v.mp4?tk=tt_chain_token`)),
      "UPSTREAM_INVALID_RESPONSE",
    ],
    [
      "an image without address",
      reply({ ...SLIDES, image_post_info: half }),
      "UPSTREAM_INVALID_RESPONSE",
    ],
    ["no JSON", "<html>", "UPSTREAM_INVALID_RESPONSE"],
    ["nothing", "", "UPSTREAM_INVALID_RESPONSE"],
  ])("that answers with %s says so", (_, body, code) => expect(read(body)).toBe(code));
});

const state = (page: unknown) =>
  `<html><script id="__FRONTITY_CONNECT_STATE__" type="application/json">${JSON.stringify({
    source: { data: { [`/embed/v2/${ID}`]: page } },
  })}</script></html>`;
const VIDEO_DATA = {
  itemInfos: { id: ID, text: "caption", video: { urls: [`${CDN}/own.mp4`] } },
  authorInfos: { uniqueId: "sample", nickName: "Sample" },
  musicInfos: { playUrl: [`${CDN}/sound.mp3`] },
};

describe("the embed page", () => {
  const read = (html: string) => summary(parseShortVideoEmbed(html, POST));
  const holding = (more: object) =>
    state({ isError: false, videoData: { ...VIDEO_DATA, ...more } });

  it("gives its video, or its images and their sound", () => {
    expect(parseShortVideoEmbed(holding({}), POST)).toEqual({
      ok: true,
      value: {
        items: [{ type: "video", url: `${CDN}/own.mp4` }],
        metadata: { title: null, author: "sample", caption: "caption" },
      },
    });
    const listed = ["image 1.jpeg", "image 2.jpeg", "audio sound.mp3"];
    const urls = [1, 2].map((n) => `${CDN}/${n}.jpeg?x=1`);
    const shapes = [
      { images: urls.map((url) => ({ imageURL: { urlList: [url] } })) },
      { images: urls.map((url) => ({ displayImage: { urlList: [url] } })) },
      { images: urls.map((url) => ({ url })) },
      { displayImages: urls.map((url) => ({ urlList: [url] })) },
    ];
    for (const imagePostInfo of shapes) expect(read(holding({ imagePostInfo }))).toEqual(listed);
  });

  it("gives each image once, where two lists show them", () => {
    const list = (name: string) =>
      [1, 2].map((n) => ({ urlList: [`${CDN}/${name}${n}.jpeg?x=1`] }));
    const images = list("").map((imageURL) => ({ imageURL }));
    const both = holding({ imagePostInfo: { images, displayImages: list("other") } });
    expect(read(both)).toEqual(["image 1.jpeg", "image 2.jpeg", "audio sound.mp3"]);
  });

  it("gives H.264 before a path that is marked as HEVC, and no sound as a video", () => {
    const marked = `${CDN}/media-video-hvc1/marked.mp4`;
    const sound = `${CDN}/sound.mp4?mime_type=audio_mp4`;
    const urls = [sound, marked, `${CDN}/own.mp4`];
    expect(read(holding({ itemInfos: { id: ID, video: { urls } } }))).toEqual(["video own.mp4"]);
    const alone = { itemInfos: { id: ID, video: { urls: [sound] } } };
    expect(read(holding(alone))).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("gives no video where an image post has lost its images", () => {
    expect(read(holding({ imagePostInfo: { title: "t" } }))).toBe("UPSTREAM_INVALID_RESPONSE");
    expect(read(holding({ imagePostInfo: { images: [] } }))).toEqual(["video own.mp4"]);
    expect(read(holding({ imagePostInfo: null }))).toEqual(["video own.mp4"]);
  });

  it.each([
    ["an error", state({ isError: true, errorCode: 10204 }), "MEDIA_NOT_FOUND"],
    [
      "another post",
      holding({ itemInfos: { ...VIDEO_DATA.itemInfos, id: "7" } }),
      "UPSTREAM_INVALID_RESPONSE",
    ],
    ["another page's state", state(null), "UPSTREAM_INVALID_RESPONSE"],
    [
      "no address",
      holding({ itemInfos: { id: ID, video: { urls: [""] } } }),
      "UPSTREAM_INVALID_RESPONSE",
    ],
    ["no state", "<html></html>", "UPSTREAM_INVALID_RESPONSE"],
    ["a broken state", state({}).replace("}", ""), "UPSTREAM_INVALID_RESPONSE"],
    ["a challenge", '<html>Please wait...<p id="cs"></p></html>', "UPSTREAM_REJECTED"],
  ])("with %s says so", (_, html, code) => expect(read(html)).toBe(code));
});

const hydration = (detail: unknown, key = "webapp.video-detail") =>
  `<html><script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">${JSON.stringify({
    __DEFAULT_SCOPE__: { [key]: detail },
  })}</script></html>`;
const BOUND = "https://v16-webapp-prime.tiktok.com/video/own/?tk=tt_chain_token";
const WATCHED = {
  id: ID,
  desc: "caption",
  author: { uniqueId: "sample", privateAccount: false },
  music: { playUrl: `${CDN}/sound.mp3?mime_type=audio_mpeg` },
  video: { playAddr: BOUND, downloadAddr: `${CDN}/marked.mp4`, bitrateInfo: [] },
};
const WATCHED_IMAGES = {
  ...WATCHED,
  imagePost: {
    title: "title",
    images: [1, 2].map((n) => ({
      imageURL: { urlList: [`${CDN}/${n}.webp`, `${CDN}/${n}.jpeg?x=1`] },
    })),
  },
};
const shown = (item: object | null, statusCode = 0, statusMsg = "ok") =>
  hydration({ statusCode, statusMsg, itemInfo: item === null ? {} : { itemStruct: item } });

describe("the watch page", () => {
  const read = (html: string) => summary(parseWatch(html, POST));
  const listed = ["image 1.jpeg", "image 2.jpeg", "audio sound.mp3"];

  it("gives images and their sound, wherever it holds them", () => {
    expect(read(shown(WATCHED_IMAGES))).toEqual(listed);
    const reflow = "webapp.reflow.video.detail";
    const itemInfo = { itemStruct: WATCHED_IMAGES };
    expect(read(hydration({ statusCode: 0, itemInfo }, reflow))).toEqual(listed);
    expect(read(hydration({ videoDetail: { itemInfo } }, reflow))).toEqual(listed);
    expect(read(hydration(itemInfo, reflow))).toEqual(listed);
    const legacy = JSON.stringify({ ItemModule: { [ID]: WATCHED_IMAGES } });
    expect(read(`<script id="SIGI_STATE">${legacy}</script>`)).toEqual(listed);
    expect(parseWatch(shown(WATCHED_IMAGES), POST)).toMatchObject({
      value: { metadata: { title: "title", author: "sample", caption: "caption" } },
    });
  });

  it("is found behind a script that names its own", () => {
    const early = `<script>find('id="__UNIVERSAL_DATA_FOR_REHYDRATION__"')</script>`;
    const html = `<p data-x='id="__UNIVERSAL_DATA_FOR_REHYDRATION__"'></p>${shown(WATCHED_IMAGES)}`;
    expect(read(html)).toEqual(listed);
    expect(read(early)).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it("never gives its video, nor the marked copy", () => {
    expect(parseWatch(shown(WATCHED), POST)).toEqual({
      ok: false,
      failure: { kind: "refused", cause: "video bound to a visit" },
    });
  });

  const withoutVideo = { ...WATCHED, video: null };
  const imageless = { ...WATCHED_IMAGES, imagePost: { images: [{ imageURL: { urlList: [] } }] } };
  it.each([
    ["10204", shown(null, 10204, "item doesn't exist"), "UPSTREAM_REJECTED"],
    ["10204, said to be ok", shown(WATCHED_IMAGES, 10204), "UPSTREAM_REJECTED"],
    ["10216", shown(null, 10216), "MEDIA_NOT_FOUND"],
    ["10221", shown(null, 10221), "MEDIA_NOT_FOUND"],
    ["10222", shown(null, 10222), "MEDIA_NOT_FOUND"],
    ["10231", shown(null, 10231), "MEDIA_NOT_FOUND"],
    ["another status", shown(null, 10000, "status_deleted"), "MEDIA_NOT_FOUND"],
    ["a message that it is deleted", shown(null, 0, "status_deleted"), "MEDIA_NOT_FOUND"],
    ["a message that it is not there", shown(null, 0, "item doesn't exist"), "MEDIA_NOT_FOUND"],
    ["no item and a message that all is well", shown(null), "UPSTREAM_INVALID_RESPONSE"],
    ["a private post", shown({ ...WATCHED_IMAGES, privateItem: true }), "MEDIA_NOT_FOUND"],
    [
      "a private account",
      shown({ ...WATCHED, author: { privateAccount: true } }),
      "MEDIA_NOT_FOUND",
    ],
    ["a post for adults", shown({ ...withoutVideo, isContentClassified: true }), "MEDIA_NOT_FOUND"],
    ["images that have moved", shown({ ...WATCHED, imagePost: {} }), "UPSTREAM_INVALID_RESPONSE"],
    [
      "such images for adults",
      shown({ ...withoutVideo, imagePost: {}, isContentClassified: true }),
      "UPSTREAM_INVALID_RESPONSE",
    ],
    ["no media", shown(withoutVideo), "UPSTREAM_INVALID_RESPONSE"],
    ["an image without address", shown(imageless), "UPSTREAM_INVALID_RESPONSE"],
    ["another post", shown({ ...WATCHED_IMAGES, id: "7" }), "UPSTREAM_INVALID_RESPONSE"],
    ["a profile", hydration({ userInfo: {} }, "webapp.user-detail"), "UPSTREAM_INVALID_RESPONSE"],
    ["a puzzle", '<p>Please wait...</p><p id="cs" class="x"></p>', "UPSTREAM_REJECTED"],
    ["a captcha", "<html><head><title>captcha</title></head></html>", "UPSTREAM_REJECTED"],
    ["a request to verify", "<html>verify to continue</html>", "UPSTREAM_REJECTED"],
    ["neither data nor challenge", "<html></html>", "UPSTREAM_INVALID_RESPONSE"],
    ["broken data", shown(WATCHED_IMAGES).replace("{", ""), "UPSTREAM_INVALID_RESPONSE"],
  ])("with %s says so", (_, html, code) => expect(read(html)).toBe(code));
});

describe("the search", () => {
  const HOST = "https://www.tiktok.com";
  const pages = (player: () => Response, embed: () => Response, watch: () => Response) => {
    const asked: string[] = [];
    const answer = (url: string) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      if (pathname.startsWith("/player/")) return player();
      return pathname.startsWith("/embed/") ? embed() : watch();
    };
    return { asked, answer };
  };
  const status =
    (code: number, body = "") =>
    () =>
      new Response(body, { status: code });
  const find = (...answers: Parameters<typeof pages>) => {
    const { asked, answer } = pages(...answers);
    return resolve(POST, "short-video", answer).then((found) => ({ asked, found: summary(found) }));
  };
  const PATHS = ["/player/api/v1/items", `/embed/v2/${ID}`, `/@sample/video/${ID}`];

  it("asks the player, then the embed, then the page, always in the form of a video", async () => {
    const { asked } = await find(status(403), status(403), status(403));
    expect(asked).toEqual(PATHS);
  });

  it("ends where the player says that nothing is there", async () => {
    const gone = status(200, reply(null, "nil_core_data"));
    const { asked, found } = await find(gone, status(200), status(200));
    expect([asked.length, found]).toEqual([1, "MEDIA_NOT_FOUND"]);
  });

  it("asks a busy player once more", async () => {
    let times = 0;
    const busy = () => new Response(++times === 1 ? reply(null, "api_busy") : reply(ITEM));
    expect(await find(busy, status(500), status(500))).toMatchObject({
      found: ["video plain.mp4"],
    });
    const { asked } = await find(status(503), status(500), status(500));
    expect(asked.filter((path) => path === PATHS[0])).toHaveLength(2);
  });

  it("fetches the sound of images from the page where the player tells none", async () => {
    const slides = status(200, reply(SLIDES));
    const images = ["image 1.jpeg", "image 2.jpeg"];
    const { asked, found } = await find(slides, status(500), status(200, shown(WATCHED_IMAGES)));
    expect(found).toEqual([...images, "audio sound.mp3"]);
    expect(asked).toEqual([PATHS[0], PATHS[2]]);
    expect((await find(slides, status(500), status(403))).found).toEqual(images);
  });

  const bad = status(200, "{}");
  it.each([
    ["refused everywhere", [status(403), status(429), status(401)], "UPSTREAM_REJECTED"],
    [
      "an id that is none, with its status",
      [status(404, reply(null, "", 5)), bad, bad],
      "MEDIA_NOT_FOUND",
    ],
    [
      "the embed's error, with its status",
      [bad, status(400, state({ isError: true })), bad],
      "MEDIA_NOT_FOUND",
    ],
    ["the page's 404", [bad, bad, status(404)], "MEDIA_NOT_FOUND"],
    ["a video on the page alone", [bad, bad, status(200, shown(WATCHED))], "UPSTREAM_REJECTED"],
    ["the ambiguous code", [bad, bad, status(200, shown(null, 10204))], "UPSTREAM_REJECTED"],
    ["all down", [status(500), status(502), status(503)], "UPSTREAM_ERROR"],
    ["all late", [status(504), status(504), status(504)], "UPSTREAM_TIMEOUT"],
  ])("has a code for %s", async (_, [player = bad, embed = bad, watch = bad], code) => {
    expect((await find(player, embed, watch)).found).toBe(code);
  });

  it("takes the way to the log-in for a refusal", async () => {
    const login = () =>
      new Response("", { status: 302, headers: { location: `${HOST}/login?x=1` } });
    const answer = (url: string) =>
      url.startsWith(`${HOST}/login`) ? new Response("<html>") : login();
    expect(summary(await resolve(POST, "short-video", answer))).toBe("UPSTREAM_REJECTED");
  });
});

describe.runIf(inject("recordings").length > 0)("a recorded page", () => {
  const recordings = inject("recordings").filter(({ file }) => file.startsWith("short-video/"));
  const asPage = (file: string, body: string) => {
    if (file.endsWith(".html")) return body;
    if (file.includes("/item-"))
      return shown(z.record(z.string(), z.unknown()).parse(JSON.parse(body)));
    return `<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">${body}</script>`;
  };

  it.each(recordings.filter(({ items }) => items.length > 0))(
    "is recognised, and its video kept back: $file",
    async ({ file, body, post_url, author }) => {
      const post = postAt(post_url ?? "", "short-video");
      const html = asPage(file, body);
      const item = readWatchItem(html, post.id);
      expect(item).toMatchObject({ value: { id: post.id, author: { uniqueId: author } } });
      expect(item.ok && item.value.desc).toBeTruthy();
      expect(parseWatch(html, post)).toMatchObject({
        failure: { cause: "video bound to a visit" },
      });
      const found = await resolve(post, "short-video", () => new Response(html));
      expect(summary(found)).toBe("UPSTREAM_REJECTED");
    },
  );
});
