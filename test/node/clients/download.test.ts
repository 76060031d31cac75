import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DownloadError } from "../../../infra/clients/typescript/src/contract/errors.ts";
import { breakOff, MEDIUM, sendMedium, startMediaHost } from "./media-host.ts";

const VIDEO = { type: "video", url: "https://video.twimg.com/a/1.mp4?tag=secret" } as const;
const REGIONAL = { type: "video", url: "https://v16.tiktokcdn.com/a/2.mp4?x-signature=s" } as const;

let folder = "";
let host: Awaited<ReturnType<typeof startMediaHost>>;

beforeEach(async () => {
  // No backoff.
  vi.spyOn(Math, "random").mockReturnValue(0);
  folder = await mkdtemp(join(tmpdir(), "download-"));
  host = await startMediaHost();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await host.stop();
  await rm(folder, { recursive: true });
});

const toFile = (item: Parameters<typeof host.client.download>[0], more = {}) =>
  host.client.download(item, { path: join(folder, "medium"), ...more });

const stored = () => readFile(join(folder, "medium"));
const files = async () => (await readdir(folder)).sort();

/** The failure's text never has the signed part of a URL. */
async function refusal(download: Promise<unknown>): Promise<DownloadError> {
  const error: unknown = await download.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DownloadError)) throw new Error("no DownloadError", { cause: error });
  expect(error.message).not.toContain("secret");
  return error;
}

describe("a download", () => {
  it("stores the medium, and leaves no other file", async () => {
    const path = join(folder, "medium");
    const sizeBytes = MEDIUM.length;
    expect(await toFile(VIDEO)).toEqual({
      ...{ path, sizeBytes, contentType: "video/mp4", resumed: false },
    });
    expect(await stored()).toEqual(MEDIUM);
    expect(await files()).toEqual(["medium"]);
  });

  it("sends no key, no cookie and no Referer", async () => {
    await toFile(VIDEO);
    await host.client.download(VIDEO);
    expect(host.received).toHaveLength(2);
    for (const headers of host.received) {
      expect(Object.keys(headers)).not.toContain("authorization");
      expect(Object.keys(headers)).not.toContain("cookie");
      expect(Object.keys(headers)).not.toContain("referer");
      expect(JSON.stringify(headers)).not.toContain("svc_live");
    }
  });

  it("asks only for the rest after it broke off, and puts both parts together", async () => {
    const part = join(folder, "medium.part");
    host.state.behave = async (_, response) => {
      host.state.behave = sendMedium;
      response.writeHead(200, { "content-type": "video/mp4", etag: '"v1"' });
      response.write(MEDIUM.subarray(0, 100_000));
      const size = async () => (await stat(part).catch(() => null))?.size ?? 0;
      await expect.poll(size, { timeout: 10_000 }).not.toBe(0);
      response.destroy();
    };
    const done = await toFile(VIDEO);
    expect(done).toMatchObject({ sizeBytes: MEDIUM.length, resumed: true });
    expect(await stored()).toEqual(MEDIUM);
    const [, second] = host.received;
    expect(second?.range).toMatch(/^bytes=[1-9]\d*-$/);
    expect(second?.["if-range"]).toBe('"v1"');
    expect(await files()).toEqual(["medium"]);
  });

  it("goes on where an earlier process stopped", async () => {
    await writeFile(join(folder, "medium.part"), MEDIUM.subarray(0, 5_000));
    await writeFile(join(folder, "medium.part.json"), JSON.stringify({ validator: '"v1"' }));
    expect(await toFile(VIDEO)).toMatchObject({ resumed: true });
    expect(host.received[0]?.range).toBe("bytes=5000-");
    expect(await stored()).toEqual(MEDIUM);
  });

  it.each([
    ["belongs to another medium", JSON.stringify({ validator: '"v0"' })],
    ["cannot be proved to fit", "{}"],
    ["has a damaged note", "{"],
  ])("begins anew when the part that is there %s", async (_, note) => {
    await writeFile(join(folder, "medium.part"), "something else");
    await writeFile(join(folder, "medium.part.json"), note);
    expect(await toFile(VIDEO)).toMatchObject({ resumed: false, sizeBytes: MEDIUM.length });
    expect(await stored()).toEqual(MEDIUM);
  });

  it("begins anew when the host sends the rest of another medium, or none", async () => {
    for (const answer of [
      { status: 206, headers: { "content-range": "bytes 3-9/10", etag: '"v1"' } },
      { status: 206, headers: { "content-range": "bytes 5-9/10", etag: '"v2"' } },
      { status: 206, headers: {} },
      { status: 416, headers: { "content-range": "bytes */3" } },
    ]) {
      await writeFile(join(folder, "medium.part"), "12345");
      await writeFile(join(folder, "medium.part.json"), JSON.stringify({ validator: '"v1"' }));
      host.state.behave = (_, response) => {
        host.state.behave = sendMedium;
        response.writeHead(answer.status, { "content-type": "video/mp4", ...answer.headers });
        response.end("67890");
      };
      expect(await toFile(VIDEO)).toMatchObject({ resumed: false });
      expect(await stored()).toEqual(MEDIUM);
      expect(host.received.at(-1)?.range).toBeUndefined();
    }
  });

  it("refuses what is not of the item's type, and stores nothing", async () => {
    for (const type of ["text/html; charset=utf-8", "image/jpeg", "application/json"]) {
      host.state.behave = (_, response) => {
        response.writeHead(200, { "content-type": type }).end("<html>");
      };
      const { message } = await refusal(toFile(VIDEO));
      expect(message).toMatch(/^video\.twimg\.com sent .* in place of a medium of type video\.$/);
      expect(await files()).toEqual([]);
    }
    expect(host.received).toHaveLength(3);
  });

  it("takes what a host of untyped files sends", async () => {
    for (const type of [["content-type", "application/octet-stream"], []]) {
      host.state.behave = (_, response) => void response.writeHead(200, type).end("file");
      expect(await toFile(VIDEO)).toMatchObject({ sizeBytes: 4 });
    }
  });

  it("fails when fewer bytes come than were announced, however often it asks", async () => {
    host.state.behave = breakOff;
    await refusal(toFile(VIDEO));
    expect(host.received).toHaveLength(3);
    expect(await files()).not.toContain("medium");
  });

  it("fails when a medium is larger than the caller wants, announced or not", async () => {
    expect((await refusal(toFile(VIDEO, { sizeMaxBytes: 1_000 }))).message).toContain("300000");
    host.state.behave = (_, response) => {
      response.writeHead(200, { "content-type": "video/mp4" });
      response.end(MEDIUM);
    };
    await refusal(toFile(VIDEO, { sizeMaxBytes: 1_000 }));
    expect(host.received).toHaveLength(2);
    expect(await files()).not.toContain("medium");
  });

  it("gives up on a host that is silent, and asks it again", async () => {
    host.state.behave = (_, response) => {
      host.state.behave = sendMedium;
      response.writeHead(200, { "content-type": "video/mp4", etag: '"v1"' });
      response.write(MEDIUM.subarray(0, 10));
    };
    expect(await toFile(VIDEO, { stallMs: 200 })).toMatchObject({ sizeBytes: MEDIUM.length });
    expect(await stored()).toEqual(MEDIUM);
  });

  it("asks again after 503, and never after 404", async () => {
    host.state.behave = (_, response) => {
      host.state.behave = sendMedium;
      response.writeHead(503).end();
    };
    await toFile(VIDEO);
    host.state.behave = (_, response) => void response.writeHead(404).end();
    expect(await refusal(toFile(VIDEO))).toMatchObject({ status: 404 });
    expect(host.received).toHaveLength(3);
  });

  it("says that the URL has ended, where the URL says so", async () => {
    host.state.behave = (_, response) => void response.writeHead(403).end();
    const url = "https://scontent.cdninstagram.com/v/a.mp4?oe=5B000000";
    const { message } = await refusal(toFile({ type: "video", url }));
    expect(message).toMatch(/answered 403\. Its URL ended at 2018-.*: resolve the post again\.$/);
  });

  it("is told at once that the folder does not exist", async () => {
    const path = join(folder, "no", "such", "file");
    await refusal(host.client.download(VIDEO, { path }));
    expect(host.received).toHaveLength(1);
  });

  it("ends when the caller gives up", async () => {
    host.state.behave = () => undefined;
    const reason = new Error("enough");
    const ending = new AbortController();
    const download = toFile(VIDEO, { signal: ending.signal });
    ending.abort(reason);
    await expect(download).rejects.toBe(reason);
  });
});

describe("after a 403", () => {
  it("asks once more with the Referer that the platform wants", async () => {
    host.state.behave = (request, response) => {
      if (request.headers.referer === "https://www.tiktok.com/") sendMedium(request, response);
      else response.writeHead(403).end();
    };
    expect(await toFile(REGIONAL)).toMatchObject({ sizeBytes: MEDIUM.length });
    expect(host.received.map(({ referer }) => referer)).toEqual([
      undefined,
      "https://www.tiktok.com/",
    ]);
  });

  it("asks no third time, and a platform that wants none no second time", async () => {
    host.state.behave = (_, response) => void response.writeHead(403).end();
    expect(await refusal(toFile(REGIONAL))).toMatchObject({ status: 403 });
    expect(host.received).toHaveLength(2);
    expect(await refusal(toFile(VIDEO))).toMatchObject({ status: 403 });
    expect(host.received.map(({ referer }) => referer)).toEqual([
      ...[undefined, "https://www.tiktok.com/", undefined],
    ]);
  });
});

describe("the address of a medium", () => {
  it.each([
    "http://video.twimg.com/a.mp4",
    "https://evil.example/a.mp4",
    "https://video.twimg.com.evil.example/a.mp4",
    "https://evilvideo.twimg.com/a.mp4",
    "https://user@video.twimg.com/a.mp4",
    "https://video.twimg.com:8443/a.mp4",
    "http://127.0.0.1/a.mp4",
    "file:///etc/passwd",
    "not a URL",
  ])("is refused before anything is sent: %s", async (url) => {
    const { message } = await refusal(toFile({ type: "video", url }));
    expect(message).toContain("does not lead to a media host");
    expect(host.asked).toEqual([]);
  });

  it("may redirect to another media host of the services, and nowhere else", async () => {
    const redirect = (location: string) => {
      host.state.behave = (_, response) => {
        host.state.behave = sendMedium;
        response.writeHead(302, { location }).end();
      };
    };
    redirect("https://v19.tiktokcdn-us.com/b.mp4");
    await toFile(REGIONAL);
    redirect("/c.mp4");
    await toFile(REGIONAL);
    const allowed = host.asked.map(({ url }) => url);
    expect(allowed).toContain("https://v19.tiktokcdn-us.com/b.mp4");
    expect(allowed).toContain("https://v16.tiktokcdn.com/c.mp4");
    for (const location of [
      "https://evil.example/",
      "http://127.0.0.1/",
      "http://v16.tiktokcdn.com/",
    ]) {
      redirect(location);
      await refusal(toFile(REGIONAL));
    }
    expect(host.asked).toHaveLength(allowed.length + 3);
    expect(host.asked.some(({ url }) => /evil|127\.0\.0\.1|http:/.test(url))).toBe(false);
  });

  it("is given up after five redirects", async () => {
    host.state.behave = (_, response) => void response.writeHead(302, { location: "/again" }).end();
    expect((await refusal(toFile(VIDEO))).message).toContain("more than 5 times");
    expect(host.received).toHaveLength(6);
  });
});

describe("a medium that is opened without a path", () => {
  it("is a stream of its bytes, with type and size", async () => {
    const opened = await host.client.download(VIDEO);
    expect(opened).toMatchObject({ contentType: "video/mp4", sizeBytes: MEDIUM.length });
    expect(Buffer.from(await new Response(opened.body).arrayBuffer())).toEqual(MEDIUM);
    expect(await files()).toEqual([]);
  });

  it("fails at the end when fewer bytes come than were announced", async () => {
    host.state.behave = breakOff;
    const { body } = await host.client.download(VIDEO);
    await expect(new Response(body).arrayBuffer()).rejects.toThrow();
  });

  it("fails as a file does when the host refuses or is silent", async () => {
    host.state.behave = (_, response) => void response.writeHead(404).end();
    expect(await refusal(host.client.download(VIDEO))).toMatchObject({ status: 404 });
    host.state.behave = () => undefined;
    await refusal(host.client.download(VIDEO, { stallMs: 100 }));
  });
});
