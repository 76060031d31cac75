import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { formatOf } from "../../../infra/canary/file-format.ts";
import { glance, START_BYTES } from "../../../infra/canary/glance.ts";
import { lookAtMedia, reportOn } from "../../../infra/canary/media.ts";
import { describeMedia } from "../../../infra/canary/media-text.ts";
import { close, listen } from "../../../infra/local/loopback.ts";

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A gateway that answers for the media hosts. */
async function gateway(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  stops.push(() => close(server));
  return listen(server);
}

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2_000)]);
const PHOTO = { type: "image", url: "https://pbs.twimg.com/media/x.jpg?sig=secret" } as const;
const FILM = { type: "video", url: "https://video.twimg.com/x.mp4?sig=secret" } as const;

describe("the beginning of a file", () => {
  test("is asked for as a server, and as a page of another site", async () => {
    const asked: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
    const egressUrl = await gateway(({ url, headers }, response) => {
      asked.push({ url, headers });
      response.writeHead(206, {
        ...{ "content-type": "image/jpeg", "content-range": "bytes 0-1023/2004" },
        "access-control-allow-origin": "*",
      });
      response.end(JPEG.subarray(0, START_BYTES));
    });
    const [report] = await lookAtMedia([PHOTO], { egressUrl, withUrls: false });
    expect(asked.map(({ url }) => url)).toEqual(
      Array(2).fill(`/?url=${encodeURIComponent(PHOTO.url)}`),
    );
    const [server, page] = asked.map(({ headers }) => headers);
    expect(Object.keys(server ?? {}).toSorted()).toEqual(
      ["accept", "connection", "host", "range", "user-agent"].toSorted(),
    );
    expect(server?.range).toBe("bytes=0-1023");
    expect(page).toMatchObject({
      ...{ range: "bytes=0-1023", origin: "https://page.example" },
      ...{ referer: "https://page.example/", "sec-fetch-site": "cross-site" },
      ...{ "sec-fetch-mode": "cors", "sec-fetch-dest": "image" },
    });
    expect(page?.cookie).toBeUndefined();
    const came = {
      ...{ status: 206, content_type: "image/jpeg", format: "JPEG" },
      ...{ size_bytes: 2_004, problems: [] },
    };
    expect(report).toEqual({
      ...{ type: "image", host: "pbs.twimg.com", expires_at: null, server: came },
      page: { ...came, shows: true, reads: true, allow_origin: "*", resource_policy: null },
    });
  });

  test("is all that is read of an endless file", async () => {
    const ended = Promise.withResolvers<void>();
    let sent = 0;
    const egressUrl = await gateway((_, response) => {
      response.on("close", ended.resolve);
      response.writeHead(200, { "content-type": "image/jpeg" }).write(JPEG);
      const pour = () => {
        sent += 1;
        if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(pour));
      };
      pour();
    });
    const came = await glance(PHOTO.url, { headers: {}, egressUrl });
    await ended.promise;
    expect("problem" in came ? came : came.bytes.length).toBe(START_BYTES);
    expect(sent).toBeLessThan(1_000);
  });

  test("is looked for behind redirects to https addresses alone, and not for ever", async () => {
    const leading = (location: string) =>
      gateway((_, response) => response.writeHead(302, { location }).end());
    const there = await gateway(({ url = "" }, response) => {
      if (url.includes("moved")) return void response.end(JPEG);
      response.writeHead(302, { location: "/moved" }).end();
    });
    const get = (egressUrl: string) => glance(PHOTO.url, { headers: {}, egressUrl });
    expect(await get(there)).toMatchObject({ status: 200 });
    expect(await get(await leading("http://127.0.0.1/"))).toEqual({
      problem: "status 302 to no https address",
    });
    expect(await get(await leading("/again"))).toEqual({ problem: "more than 3 redirects" });
  });

  test("does not come from a server that is away, without naming its address", async () => {
    const server = createServer();
    const egressUrl = await listen(server);
    await close(server);
    const came = await glance(PHOTO.url, { headers: {}, egressUrl });
    expect(came).toEqual({ problem: "ECONNREFUSED" });
  });

  test("does not come from a server that hangs up", async () => {
    const egressUrl = await gateway((request) => void request.socket.destroy());
    expect(await glance(PHOTO.url, { headers: {}, egressUrl })).toEqual({ problem: "ECONNRESET" });
  });
});

describe("what came", () => {
  const start = (status: number, headers: IncomingHttpHeaders, bytes: Uint8Array = JPEG) => ({
    ...{ status, headers, bytes },
  });
  const good = start(200, { "content-type": "image/jpeg", "content-length": "2004" });

  test("is compared with the item's type, by content type and by bytes", () => {
    expect(reportOn(FILM, good, good).server.problems).toEqual([
      "content type image for a video",
      "JPEG for a video",
    ]);
    const page = start(200, { "content-type": "text/html" }, Buffer.from("<!DOCTYPE html>"));
    expect(reportOn(PHOTO, page, good).server.problems).toEqual([
      "content type text for an image",
      "HTML for an image",
    ]);
    const silent = start(200, {}, JPEG);
    expect(reportOn(PHOTO, silent, good).server.problems).toEqual([]);
    const unknown = start(200, {}, Buffer.from("something"));
    expect(reportOn(PHOTO, unknown, good).server.problems).toEqual(["bytes of an unknown format"]);
    const empty = start(200, { "content-type": "image/jpeg" }, Buffer.alloc(0));
    expect(reportOn(PHOTO, empty, good).server.problems).toEqual(["an empty file"]);
  });

  test("is a refusal of the page alone where the Referer is the reason", () => {
    const { server, page } = reportOn(PHOTO, good, start(403, {}, Buffer.alloc(0)));
    expect([server.problems, page.problems]).toEqual([[], ["status 403"]]);
    expect([page.shows, page.reads]).toEqual([false, false]);
  });

  test.each([
    [{}, true, false],
    [{ "access-control-allow-origin": "*" }, true, true],
    [{ "access-control-allow-origin": "https://page.example" }, true, true],
    [{ "access-control-allow-origin": "https://www.instagram.com" }, true, false],
    [{ "cross-origin-resource-policy": "cross-origin" }, true, false],
    [{ "cross-origin-resource-policy": "same-origin" }, false, false],
    [{ "cross-origin-resource-policy": "same-site" }, false, false],
  ])("with %j: a page shows it: %s, its scripts read it: %s", (headers, shows, reads) => {
    const came = start(200, { "content-type": "image/jpeg", ...headers });
    expect(reportOn(PHOTO, good, came).page).toMatchObject({ shows, reads });
  });

  test("is told in one line, without the URL unless it is asked for", () => {
    const url = "https://scontent.cdninstagram.com/v/a.jpg?oe=6A49B9DA";
    const withheld = { ...good.headers, "cross-origin-resource-policy": "same-origin" };
    const report = reportOn({ ...PHOTO, url }, good, start(200, withheld));
    expect(describeMedia(report)).toBe(
      "image of scontent.cdninstagram.com: server: 200 image/jpeg, JPEG of 2004 bytes; " +
        "page: 200 image/jpeg, JPEG of 2004 bytes; " +
        "no page can show it (CORP same-origin); its scripts cannot read it; " +
        "expires 2026-07-05T01:56:42.000Z",
    );
    expect(describeMedia({ ...report, url })).toContain(`image of ${url}: `);
    expect(describeMedia(reportOn(PHOTO, { problem: "ECONNRESET" }, good))).toContain(
      "server: ECONNRESET; ",
    );
  });
});

test.each([
  ["JPEG", "\xff\xd8\xff\xe0"],
  ["PNG", "\x89PNG\r\n\x1a\n"],
  ["GIF", "GIF89a"],
  ["WebP", "RIFF\x10\x00\x00\x00WEBPVP8 "],
  ["WAV", "RIFF\x10\x00\x00\x00WAVEfmt "],
  ["AVIF", "\x00\x00\x00\x1cftypavif"],
  ["HEIC", "\x00\x00\x00\x18ftypheic"],
  ["MP4", "\x00\x00\x00\x20ftypisom"],
  ["M4A", "\x00\x00\x00\x20ftypM4A "],
  ["WebM", "\x1aE\xdf\xa3"],
  ["Ogg", "OggS"],
  ["FLAC", "fLaC"],
  ["MP3", "ID3\x03"],
  ["MP3", "\xff\xfb\x90"],
  ["AAC", "\xff\xf1\x50"],
  ["HTML", "\n<!doctype HTML>"],
  ["XML", '<?xml version="1.0"?>'],
  ["JSON", '{"error":1}'],
  [undefined, "URL signature expired"],
  [undefined, ""],
])("the first bytes of %s are known: %j", (name, start) => {
  expect(formatOf(Buffer.from(start, "latin1"))?.name).toBe(name);
});
