import { describe, expect, inject, it } from "vitest";
import { SERVICES, type Service } from "../../../src/contract/schemas.ts";
import { parsePostUrl } from "../../../src/search/post-url.ts";
import { ACCEPTED, BROKEN, REFUSED } from "../../support/post-urls.ts";
import { RESOLVERS } from "../../support/resolvers.ts";

const accepting = (url: string) =>
  SERVICES.filter((service) => parsePostUrl(url, RESOLVERS[service]).ok);

const refusal = (url: string, service: Service) => {
  const post = parsePostUrl(url, RESOLVERS[service], Object.values(RESOLVERS));
  return post.ok ? null : post.failure;
};

describe("parsePostUrl", () => {
  it.each(ACCEPTED)("accepts %s for %s alone", (url, service, id, owner) => {
    expect(accepting(url)).toEqual([service]);
    const post = parsePostUrl(url, RESOLVERS[service]);
    expect(post).toMatchObject({ value: { id, owner } });
  });

  it.each(REFUSED)("refuses %s for every service", (url) => {
    expect(accepting(url)).toEqual([]);
  });

  it.each(BROKEN)("refuses %j and says: %s", (url, rule) => {
    expect(accepting(url)).toEqual([]);
    const failure = refusal(url, "messenger-channel");
    expect(failure?.code).toBe("URL_INVALID");
    expect(failure?.message).toMatch(/^url: /);
    expect(failure?.message).toContain(rule);
  });

  it("takes the serialisation without fragment, and rewrites nothing else", () => {
    const post = parsePostUrl(
      "HTTP://T.ME:80/s/Name/12/?q=ü&single#top",
      RESOLVERS["messenger-channel"],
    );
    expect(post.ok && post.value.url.href).toBe("http://t.me/s/Name/12/?q=%C3%BC&single");
  });

  it("tells a short link's code from a post's id", () => {
    const of = (url: string) => parsePostUrl(url, RESOLVERS.pinboard);
    expect(of("https://pin.it/123")).toMatchObject({ value: { id: "123", isShortLink: true } });
    expect(of("https://pinterest.com/pin/123")).toMatchObject({ value: { isShortLink: false } });
  });

  it("names the expected shapes, and the service that the URL belongs to", () => {
    const failure = refusal("https://instagram.com/stories/user/12", "photo-feed");
    expect(failure?.message).toBe(
      "url: is not a photo-feed URL; expected instagram.com/p/<code> or instagram.com/reel/<code>" +
        "; this is a photo-feed-story URL",
    );
    expect(refusal("https://example.org/", "microblog")?.message).toBe(
      "url: is not a microblog URL; expected x.com/<user>/status/<id>",
    );
  });

  const SHARED: [string, Service][] = [
    ["https://vm.tiktok.com/ZMabc1234/", "short-video"],
    ["http://vt.tiktok.com/ZSabc1234", "short-video"],
    ["https://t.tiktok.com/ZSabc1234", "short-video"],
    ["https://www.tiktok.com/t/ZTabc1234/?k=1", "short-video"],
    ["https://www.instagram.com/share/BAabcDEF12", "photo-feed"],
    ["https://instagram.com/share/p/BAabcDEF12/", "photo-feed"],
    ["https://www.instagram.com/share/reel/BAabcDEF12", "photo-feed"],
    ["https://www.instagram.com/s/aGlnaGxpZ2h0OjE3ODkz?igsh=x", "photo-feed-highlight"],
    ["https://t.co/abc", "microblog"],
  ];

  it.each(SHARED)("says that %s is a short share link, and of which service", (url, service) => {
    const advice = ": expand it first, and send the URL that it leads to";
    expect(refusal(url, service)?.message).toMatch(
      new RegExp(`expected .*; this is a short share link${advice}$`),
    );
    for (const other of SERVICES.filter((name) => name !== service)) {
      expect(refusal(url, other)?.message).toMatch(
        new RegExp(`expected .*; this is a short share link of ${service}${advice}$`),
      );
    }
  });

  it("says that a short link of a service that follows it can be sent as it is", () => {
    expect(refusal("https://pin.it/4abcDEFgh", "microblog")?.message).toBe(
      "url: is not a microblog URL; expected x.com/<user>/status/<id>; " +
        "this is a short share link of pinboard: send it as pinboard, or expand it first",
    );
  });

  it.each([
    "https://vm.tiktok.com/",
    "https://vm.tiktok.com.evil.example/ZMabc1234",
    "https://www.tiktok.com/t/",
    "https://www.tiktok.com/t/a/b",
    "https://t.co/",
    "https://t.co/a/b",
    "https://www.instagram.com/share/",
    "https://example.org/share/p/BAabcDEF12",
    "https://bit.ly/abc",
  ])("gives no such advice for %s", (url) => {
    for (const service of SERVICES) {
      expect(refusal(url, service)?.message).not.toMatch(/share link|expand/);
    }
  });

  it("lets each URL seen in public be accepted by the listed service and by no other", () => {
    const wrong = inject("seenUrls").filter(
      ({ url, service }) => accepting(url).join() !== (service ?? ""),
    );
    expect(wrong).toEqual([]);
  });
});
