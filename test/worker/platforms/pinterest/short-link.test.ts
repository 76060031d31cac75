import { describe, expect, it } from "vitest";
import { timer } from "../../../../src/runtime/timer.ts";
import { search } from "../../../../src/search/search.ts";
import { noBreaker, postAt, resolve, summary } from "../../../support/replies.ts";
import { RESOLVERS } from "../../../support/resolvers.ts";
import { testSettings } from "../../../support/settings.ts";
import { ID, image, pin, resource } from "./pins.ts";

const LINK = "https://pin.it/4abcDEFgh";
const REDIRECTOR = "https://api.pinterest.com/url_shortener/4abcDEFgh/redirect/";
const PIN = `https://www.pinterest.com/pin/${ID}/sent/?invite_code=abc&sender=1`;
const POST = postAt(LINK, "pinboard");

type Answers = Readonly<Record<string, () => Response>>;

const to =
  (location: string, status = 302) =>
  () =>
    new Response("", { status, headers: { location } });
const body =
  (text: string, status = 200) =>
  () =>
    new Response(text, { status });

/** Every URL that was requested. Only the resource of this pin answers. */
const asking = async (answers: Answers, post = POST) => {
  const asked: string[] = [];
  const found = await resolve(post, "pinboard", (url) => {
    const name = url.includes("/resource/PinResource/") ? "resource" : url;
    asked.push(name);
    const own = name === "resource" && url.includes(ID) ? body(resource(pin())) : body("", 502);
    return (answers[name] ?? own)();
  });
  return { asked, outcome: summary(found) };
};

const ITEM = [`image ${image("originals").split("/").at(-1)}`];

describe("a short link", () => {
  it("is followed hop by hop to the pin, which the sources are asked for", async () => {
    const answers = { [LINK]: to(REDIRECTOR, 301), [REDIRECTOR]: to(PIN) };
    expect(await asking(answers)).toEqual({ asked: [LINK, REDIRECTOR, "resource"], outcome: ITEM });
  });

  it("keeps its submitted address, and is asked for over https", async () => {
    const post = postAt("http://pin.it/4abcDEFgh/?utm=1#top", "pinboard");
    expect((await asking({ [LINK]: to(PIN) }, post)).asked).toEqual([LINK, "resource"]);
    const pinboard = RESOLVERS.pinboard;
    const read = () => ({ ok: true, value: postAt(PIN, "pinboard") }) as const;
    const reply = {
      status: 302,
      headers: new Headers({ location: PIN }),
      body: "",
      url: new URL(LINK),
    };
    const upstream = async () => ({ ok: true, value: reply }) as const;
    const located = await pinboard.locate?.(post, {
      upstream,
      maxResults: 1,
      now: Date.now,
      log: () => {},
      read,
    });
    expect(located).toMatchObject({ ok: true, value: { id: ID, isShortLink: false } });
    expect(located?.ok && located.value.url.href).toBe("http://pin.it/4abcDEFgh/?utm=1");
  });

  it.each([
    ["a country's host", `https://de.pinterest.com/pin/${ID}/`],
    ["another top level", `https://www.pinterest.co.uk/pin/${ID}`],
    ["an address with words", `https://www.pinterest.com/pin/%D0%BA-words--${ID}/`],
    ["plain http", `http://www.pinterest.com/pin/${ID}/`],
  ])("may lead to a pin under %s", async (_what, location) => {
    expect(await asking({ [LINK]: to(location) })).toEqual({
      asked: [LINK, "resource"],
      outcome: ITEM,
    });
  });

  it("may lead over relative addresses and the redirector of the web", async () => {
    const web = "https://www.pinterest.com/url_shortener/4abcDEFgh/redirect/?x=1";
    const answers = { [LINK]: to(web), [web]: to(`/pin/${ID}/`) };
    expect((await asking(answers)).asked).toEqual([LINK, web, "resource"]);
    const second = "https://pin.it/2nd";
    expect((await asking({ [LINK]: to("/2nd"), [second]: to(PIN) })).outcome).toEqual(ITEM);
  });

  it.each([
    ["a board", "https://www.pinterest.com/someone/some-board/"],
    ["a profile", "https://www.pinterest.com/someone/"],
    ["the home page", "https://www.pinterest.com/"],
    ["an idea", "https://www.pinterest.com/ideas/art/123456/"],
    ["a foreign host", `https://evil.example/pin/${ID}/`],
    ["a look-alike", `https://www.pinterest.com.evil.example/pin/${ID}/`],
    ["a foreign host with our redirector's path", "https://evil.example/url_shortener/a/redirect/"],
    ["a user name in front", `https://www.pinterest.com@evil.example/pin/${ID}/`],
    ["a user name in front of the right host", `https://user@www.pinterest.com/pin/${ID}/`],
    ["a port", `https://www.pinterest.com:8443/pin/${ID}/`],
    ["a redirector on a port", "https://api.pinterest.com:8443/url_shortener/a/redirect/"],
    ["plain http to the redirector", "http://api.pinterest.com/url_shortener/a/redirect/"],
    ["an address of this machine", `http://127.0.0.1/pin/${ID}/`],
    ["a script", "javascript:alert(1)"],
    ["a file", "file:///pin/1"],
    ["a percent-encoded id", "https://www.pinterest.com/pin/%31%32/"],
    ["a percent-encoded slash", `https://www.pinterest.com/pin%2F${ID}/`],
    [
      "a percent-encoded redirector",
      "https://api.pinterest.com/url_shortener/a%2F..%2Fb/redirect/",
    ],
    ["another endpoint", "https://api.pinterest.com/v3/pins/1/"],
    ["an empty address", ""],
    ["an address that is none", "https://"],
  ])("that leads to %s is not found, and nobody is asked", async (_what, location) => {
    const { asked, outcome } = await asking({ [LINK]: to(location) });
    expect(outcome).toBe("MEDIA_NOT_FOUND");
    expect(asked.filter((url) => url !== LINK)).toEqual([]);
  });

  it.each([
    ["a page", body("<html>"), "MEDIA_NOT_FOUND"],
    ["nothing", body("", 404), "MEDIA_NOT_FOUND"],
    ["what is gone", body("", 410), "MEDIA_NOT_FOUND"],
    ["a redirect to nowhere", body("", 302), "MEDIA_NOT_FOUND"],
    ["a refusal", body("", 403), "UPSTREAM_REJECTED"],
    ["a limit", body("", 429), "UPSTREAM_REJECTED"],
    ["an error", body("", 500), "UPSTREAM_ERROR"],
    ["a late answer", body("", 504), "UPSTREAM_TIMEOUT"],
  ])("that is answered with %s ends there", async (_what, answer, code) => {
    expect(await asking({ [LINK]: answer })).toEqual({ asked: [LINK], outcome: code });
  });

  it("that leads to itself or in a circle ends after five hops", async () => {
    const itself = await asking({ [LINK]: to(LINK) });
    expect(itself).toEqual({ asked: Array(5).fill(LINK), outcome: "MEDIA_NOT_FOUND" });
    const circle = await asking({ [LINK]: to(REDIRECTOR), [REDIRECTOR]: to(LINK) });
    expect(circle.asked).toEqual([LINK, REDIRECTOR, LINK, REDIRECTOR, LINK]);
    expect(circle.outcome).toBe("MEDIA_NOT_FOUND");
  });

  it("that hangs leaves the rest of the window to nobody, and times out", async () => {
    const fetch: typeof globalThis.fetch = () => new Promise(() => {});
    const options = {
      resolver: RESOLVERS.pinboard,
      post: POST,
      account: "test",
      maxResults: 1,
      now: Date.now,
      timer,
      fetch,
      log: () => {},
      note: () => {},
      breaker: noBreaker,
    };
    const settings = testSettings({ RESOLVE_WINDOW_MS: 100 }).search;
    const found = await search({ ...options, settings, signal: new AbortController().signal });
    expect(found).toMatchObject({ failure: { code: "UPSTREAM_TIMEOUT" } });
  });

  it("whose pin is missing is not found", async () => {
    const gone = { [LINK]: to(PIN), resource: body("", 404) };
    expect((await asking(gone)).outcome).toBe("MEDIA_NOT_FOUND");
  });
});
