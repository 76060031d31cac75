import { describe, expect, it } from "vitest";
import { cobalt } from "../../../../src/platforms/cobalt/cobalt.ts";
import { parseCobalt } from "../../../../src/platforms/cobalt/reply.ts";
import type { Post } from "../../../../src/search/resolver.ts";
import { postAt, resolve, summary } from "../../../support/replies.ts";
import type { Variables } from "../../../support/settings.ts";

const POST = postAt("https://m.x.com/sample/status/1900000000000000101?s=20&t=a", "microblog");
const INSTANCE = { COBALT_URL: "https://cobalt.example/", SOURCES: "microblog=cobalt" };
const TUNNEL = "https://cobalt.example/tunnel?id=a&exp=1&sig=b&sec=c&iv=d";
const VIDEO = "https://video.twimg.com/ext_tw_video/1/pu/vid/a.mp4?tag=12";

const reply = (body: unknown, status = 200) =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status });

const ask = (body: unknown, { status = 200, ...more }: Variables & { status?: number } = {}) =>
  resolve(POST, "microblog", () => reply(body, status), { ...INSTANCE, ...more });

const found = async (body: unknown, more: Variables = {}) => {
  const result = await ask(body, more);
  return result.ok ? result.value.items : result.failure.code;
};

async function requestOf(more: Variables = {}, post: Post = POST) {
  const asked: Request[] = [];
  const answer = (_: string, request: Request) => {
    asked.push(request);
    return reply({});
  };
  await resolve(post, "microblog", answer, { ...INSTANCE, ...more });
  return asked;
}

describe("the instance is asked", () => {
  it("by POST for the post's address, with nothing that it does not know", async () => {
    const [request] = await requestOf();
    expect(request?.method).toBe("POST");
    expect(request?.url).toBe("https://cobalt.example/");
    expect(request?.headers.get("accept")).toBe("application/json");
    expect(request?.headers.get("content-type")).toBe("application/json");
    expect(request?.headers.get("authorization")).toBe(null);
    expect(await request?.json()).toEqual({
      url: "https://m.x.com/sample/status/1900000000000000101",
      videoQuality: "max",
      convertGif: false,
      localProcessing: "disabled",
    });
  });

  it("with a key where it wants one", async () => {
    const [request] = await requestOf({ COBALT_API_KEY: "key" });
    expect(request?.headers.get("authorization")).toBe("Api-Key key");
  });

  it("at an address with http, a port and a path, and through the gateway", async () => {
    const COBALT_URL = "http://127.0.0.1:9000/api";
    expect((await requestOf({ COBALT_URL }))[0]?.url).toBe(`${COBALT_URL}/`);
    const [through] = await requestOf({ EGRESS_URL: "https://gateway.example/" });
    expect(through?.method).toBe("POST");
    expect(through?.url).toBe("https://gateway.example/?url=https%3A%2F%2Fcobalt.example%2F");
    expect(await through?.json()).toMatchObject({ videoQuality: "max" });
  });

  it("not for an address beyond its limit", async () => {
    const url = new URL(`https://x.com/${"a".repeat(1100)}`);
    expect(await requestOf({}, { ...POST, url })).toEqual([]);
  });

  it("not without its address", async () => {
    expect(await requestOf({ COBALT_URL: null })).toEqual([]);
  });

  it("and its redirects are not followed", async () => {
    const answer = () => new Response(null, { status: 308, headers: { location: "/other" } });
    const result = await resolve(POST, "microblog", answer, INSTANCE);
    expect(summary(result)).toBe("UPSTREAM_REJECTED");
  });
});

describe("an answer", () => {
  it.each([
    ["mp4", "video"],
    ["webm", "video"],
    ["jpg", "image"],
    ["PNG", "image"],
    ["gif", "image"],
    ["mp3", "audio"],
  ])("with one file has the type of the file's name: .%s is %s", async (extension, type) => {
    const filename = `twitter_1.${extension}`;
    expect(await found({ status: "tunnel", url: TUNNEL, filename })).toEqual([
      { type, url: TUNNEL },
    ]);
  });

  it("that redirects gives the platform's own address, and no metadata", async () => {
    const result = await ask({ status: "redirect", url: VIDEO, filename: "a.mp4" });
    expect(result).toMatchObject({
      value: {
        items: [{ type: "video", url: VIDEO }],
        metadata: { title: null, author: null, caption: null },
        source: "cobalt",
      },
    });
    expect(await found({ status: "redirect", url: VIDEO })).toEqual([
      { type: "video", url: VIDEO },
    ]);
  });

  it("with several has them in order, and the sound after them", async () => {
    const at = (name: string) => `https://pbs.twimg.com/media/${name}`;
    const picker = [
      { type: "photo", url: at("a.jpg"), thumb: TUNNEL },
      { type: "video", url: VIDEO },
      { type: "gif", url: at("b.mp4") },
      { type: "gif", url: at("c.gif?x=.mp4") },
      { type: "gif", url: TUNNEL },
    ];
    const audio = `${TUNNEL}&audio`;
    expect(await found({ status: "picker", picker, audio, audioFilename: "a.mp3" })).toEqual([
      { type: "image", url: at("a.jpg") },
      { type: "video", url: VIDEO },
      { type: "video", url: at("b.mp4") },
      { type: "image", url: at("c.gif?x=.mp4") },
      { type: "video", url: TUNNEL },
      { type: "audio", url: audio },
    ]);
  });

  it("with a medium of a new kind among several has the others", async () => {
    const picker = [
      { type: "hologram", url: TUNNEL },
      { type: "photo", url: "https://pbs.twimg.com/media/a.jpg" },
    ];
    expect(await found({ status: "picker", picker })).toEqual([
      { type: "image", url: "https://pbs.twimg.com/media/a.jpg" },
    ]);
  });

  it("may have tunnels of an instance at http with a port, and of no other server", async () => {
    const COBALT_URL = "http://127.0.0.1:9000";
    const own = "http://127.0.0.1:9000/tunnel?id=a";
    const body = { status: "tunnel", url: own, filename: "a.mp4" };
    expect(await found(body, { COBALT_URL })).toEqual([{ type: "video", url: own }]);
    expect(await found(body)).toBe("UPSTREAM_INVALID_RESPONSE");
    const other = { ...body, url: "https://cobalt.example:8443/tunnel" };
    expect(await found(other)).toBe("UPSTREAM_INVALID_RESPONSE");
  });

  it.each([
    ["a file of unknown type", { status: "tunnel", url: TUNNEL, filename: "a.bin" }],
    ["a file without a name", { status: "tunnel", url: TUNNEL }],
    [
      "a playlist by the name of a video",
      { status: "redirect", url: "https://video.twimg.com/pl/a.m3u8?tag=1", filename: "a.mp4" },
    ],
    ["no file", { status: "redirect", filename: "a.mp4" }],
    ["an empty choice", { status: "picker", picker: [] }],
    [
      "a choice of another kind and a sound",
      { status: "picker", picker: [{ type: "audio", url: VIDEO }], audio: `${TUNNEL}&audio` },
    ],
    ["a choice of another kind", { status: "picker", picker: [{ type: "audio", url: VIDEO }] }],
    ["work for the client", { status: "local-processing", type: "merge", tunnel: [TUNNEL] }],
    ["another status", { status: "success", url: TUNNEL, filename: "a.mp4" }],
    ["an error without a code", { status: "error", error: {} }],
    ["no status", {}],
    ["no JSON", "<html>"],
    ["nothing", ""],
  ])("with %s is invalid", async (_, body) => {
    expect(await found(body)).toBe("UPSTREAM_INVALID_RESPONSE");
  });
});

describe("an error", () => {
  const codes: Readonly<Record<string, readonly string[]>> = {
    MEDIA_NOT_FOUND: [
      ...["content.post.unavailable", "content.post.private", "content.post.age"],
      ...["content.video.unavailable", "content.video.private", "content.video.age"],
      ...["content.video.live", "content.paid", "content.region", "content.video.region"],
    ],
    tentative: [
      ...["fetch.empty", "fetch.short_link", "link.invalid", "link.missing", "link.unsupported"],
      ...["service.unsupported", "service.disabled", "service.audio_not_supported"],
      "content.too_long",
    ],
    UPSTREAM_REJECTED: [
      ...["fetch.rate", "rate_exceeded", "capacity", "auth.key.missing", "auth.key.not_api_key"],
      ...["auth.key.invalid", "auth.key.not_found", "auth.key.invalid_ip"],
      ...["auth.key.ip_not_allowed", "auth.key.ua_not_allowed", "auth.jwt.missing"],
      ...["auth.jwt.invalid", "auth.turnstile.missing", "auth.not_configured"],
    ],
    UPSTREAM_ERROR: [
      "fetch.fail",
      "fetch.critical",
      "fetch.critical.core",
      "generic",
      "unreachable",
    ],
    UPSTREAM_TIMEOUT: ["timed_out"],
    UPSTREAM_INVALID_RESPONSE: [
      "header.accept",
      "header.content_type",
      "invalid_body",
      "new.one",
      "",
    ],
  };
  const rows = Object.entries(codes).flatMap(([meaning, list]) =>
    list.map((code) => [code, meaning] as const),
  );

  it.each(rows)("%s is %s", async (code, meaning) => {
    const body = { status: "error", error: { code: `error.api.${code}`, context: { limit: 1 } } };
    const isTentative = meaning === "tentative";
    const parsed = parseCobalt(JSON.stringify(body));
    expect(!parsed.ok && parsed.failure.kind === "maybeNotFound").toBe(isTentative);
    const result = await ask(body, { status: 400 });
    expect(summary(result)).toBe(isTentative ? "MEDIA_NOT_FOUND" : meaning);
    expect(result).toMatchObject({ failure: { cause: expect.stringContaining(code) } });
  });

  it.each([
    [401, "UPSTREAM_REJECTED"],
    [403, "UPSTREAM_REJECTED"],
    [429, "UPSTREAM_REJECTED"],
    [404, "UPSTREAM_INVALID_RESPONSE"],
    [500, "UPSTREAM_ERROR"],
    [502, "UPSTREAM_ERROR"],
    [504, "UPSTREAM_TIMEOUT"],
  ])("of status %i without a body of its own is %s", async (status, code) => {
    expect(summary(await ask("<html>", { status }))).toBe(code);
  });

  it("keeps its meaning under another status", async () => {
    const body = { status: "error", error: { code: "error.api.rate_exceeded" } };
    expect(summary(await ask(body, { status: 429 }))).toBe("UPSTREAM_REJECTED");
  });
});

it("is asked for nothing but the variable that it wants", () => {
  const unset = { COBALT_URL: null, COBALT_API_KEY: null };
  expect(cobalt(unset)).toMatchObject({ name: "cobalt", missing: "COBALT_URL" });
  expect(cobalt({ ...unset, COBALT_URL: "https://cobalt.example" })).not.toHaveProperty("missing");
});
