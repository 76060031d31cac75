import { describe, expect, inject, it } from "vitest";
import { SERVICES, type Service } from "../../../src/contract/schemas.ts";
import { parsePostUrl } from "../../../src/search/post-url.ts";
import { RESOLVERS } from "../../support/resolvers.ts";

const accepting = (url: string) =>
  SERVICES.filter((service) => parsePostUrl(url, RESOLVERS[service]).ok);

const refusal = (url: string, service: Service) => {
  const post = parsePostUrl(url, RESOLVERS[service], Object.values(RESOLVERS));
  return post.ok ? null : post.failure;
};

const CODE_64 = "Ab_-5678".repeat(8);
const DIGITS_24 = "123456789012345678901234";

/** URL, service, id, owner. */
const ACCEPTED: readonly (readonly [string, Service, string, string | null])[] = [
  [
    "https://www.instagram.com/p/CAbcdEfGh12/?img_index=3&igsh=abc==",
    "photo-feed",
    "CAbcdEfGh12",
    null,
  ],
  ["https://instagram.com/some.user/reel/CAbcdEfGh12/", "photo-feed", "CAbcdEfGh12", "some.user"],
  ["https://m.instagram.com/reels/CAbcdEfGh12", "photo-feed", "CAbcdEfGh12", null],
  ["https://instagram.com/reel/CAbcdEfGh12#x", "photo-feed", "CAbcdEfGh12", null],
  [`https://instagram.com/p/${CODE_64}`, "photo-feed", CODE_64, null],
  [`https://instagram.com/${"u".repeat(30)}/p/C`, "photo-feed", "C", "u".repeat(30)],
  ["https://instagram.com/p/p/C", "photo-feed", "C", "p"],
  ["https://instagram.com/stories/some.user/37768328", "photo-feed-story", "37768328", "some.user"],
  ["https://instagram.com/stories/highlights/17893/", "photo-feed-highlight", "17893", null],
  ["https://www.tiktok.com/@user.name/video/71065943?is=1", "short-video", "71065943", "user.name"],
  ["https://m.tiktok.com/@u-s_e.r/photo/1", "short-video", "1", "u-s_e.r"],
  [`https://tiktok.com/@${"u".repeat(100)}/video/1`, "short-video", "1", "u".repeat(100)],
  [
    "https://x.com/user/status/1234567890123456789?s=20&t=abc",
    "microblog",
    "1234567890123456789",
    "user",
  ],
  [`https://twitter.com/i/web/status/${DIGITS_24}`, "microblog", DIGITS_24, null],
  ["https://mobile.x.com/i/status/12/photo/3", "microblog", "12", null],
  ["https://m.twitter.com/user/status/12/video/1/", "microblog", "12", "user"],
  [`https://www.x.com/${"u".repeat(20)}/status/12`, "microblog", "12", "u".repeat(20)],
  ["https://www.pinterest.com/pin/123456789012345678/", "pinboard", "123456789012345678", null],
  ["https://at.pinterest.com/pin/123/", "pinboard", "123", null],
  ["https://www.pinterest.co.uk/pin/123/sent/?invite_code=x&sender=1", "pinboard", "123", null],
  ["https://pinterest.com/pin/123/sent/a/b", "pinboard", "123", null],
  ["https://www.pinterest.de/pin/some-slug--with--123/", "pinboard", "123", null],
  ["https://pinterest.jp/pin/%E7%8C%AB--123", "pinboard", "123", null],
  ["https://pin.it/4abcDEFgh", "pinboard", "4abcDEFgh", null],
  ["https://t.me/Channel_Name/123?comment=9", "messenger-channel", "123", "Channel_Name"],
  ["http://telegram.me/ChannelName/123?single", "messenger-channel", "123", "ChannelName"],
  ["https://www.telegram.dog/s/name/1234567890/", "messenger-channel", "1234567890", "name"],
  [`https://t.me/${"c".repeat(32)}/1`, "messenger-channel", "1", "c".repeat(32)],
  ["HTTPS://T.ME/name/1", "messenger-channel", "1", "name"],
  ["https://t.me:443/name/1", "messenger-channel", "1", "name"],
  ["http://t.me:80/name/1", "messenger-channel", "1", "name"],
  ["https://x.com/user/status/1?u=https://other.example/%2f..%2f@x:8080", "microblog", "1", "user"],
  ["https://x.com/user/status/1#/../ü", "microblog", "1", "user"],
];

/** Refused by every service. */
const REFUSED: readonly string[] = [
  "https://www.instagram.com/reels/audio/123456789/",
  "https://www.instagram.com/reels/audio/",
  "https://www.instagram.com/tv/CAbcdEfGh12/",
  "https://www.instagram.com/share/reel/BAabcDEF12",
  "https://www.instagram.com/share/p/BAabcDEF12",
  "https://www.instagram.com/stories/p/BAabcDEF12",
  "https://www.instagram.com/explore/p/BAabcDEF12",
  "https://www.instagram.com/reels/p/BAabcDEF12",
  "https://www.instagram.com/tv/p/BAabcDEF12",
  "https://www.instagram.com/stories/some.user/",
  "https://www.instagram.com/stories/highlights/",
  "https://www.instagram.com/stories/highlights/12a",
  "https://www.instagram.com/s/aGlnaGxpZ2h0OjE?story_media_id=1_2",
  "https://www.instagram.com/p/",
  "https://www.instagram.com/P/CAbcdEfGh12",
  "https://www.instagram.com/p/CAbcdEfGh12/embed/",
  "https://www.instagram.com/p/CAbcdEfGh12//",
  `https://www.instagram.com/p/${CODE_64}x`,
  `https://www.instagram.com/${"u".repeat(31)}/p/C`,
  `https://www.instagram.com/stories/u/${DIGITS_24}5`,
  "https://l.instagram.com/p/CAbcdEfGh12",
  "https://www.tiktok.com/@/video/71065943",
  "https://www.tiktok.com/@user/video/abc",
  "https://www.tiktok.com/@user/live",
  "https://www.tiktok.com/%40user/video/1",
  `https://www.tiktok.com/@${"u".repeat(101)}/video/1`,
  "https://vm.tiktok.com/ZMabc1234/",
  "https://www.tiktok.com/t/ZTabc1234/",
  "https://x.com/user/statuses/12",
  "https://x.com/i/spaces/1abcDEF",
  "https://x.com/user/status/12/quotes",
  "https://x.com/user/status/12/photo/10",
  "https://x.com/us-er/status/12",
  "https://x.com/user/status/%31%32",
  "https://x.com/user/status/١٢",
  `https://x.com/${"u".repeat(21)}/status/12`,
  "https://t.co/abc",
  "https://www.pinterest.com/user/board/",
  "https://www.pinterest.com/pin/AbCdEf/",
  "https://pinterest.com.evil.example/pin/1",
  "https://pinterest.example/pin/1",
  "https://evilpinterest.com/pin/1",
  "https://abc.pinterest.com/pin/1",
  "https://a.b.pinterest.com/pin/1",
  "https://www.pin.it/4abcDEFgh",
  "https://pin.it/4abc-DEF",
  `https://pin.it/${"a".repeat(65)}`,
  "https://t.me/c/1234567/123",
  "https://t.me/c/123",
  "https://t.me/+AbCd",
  "https://t.me/channelname",
  "https://t.me/channelname/s/5",
  "https://t.me/channelname/7/123",
  "https://t.me/abc/1",
  "https://t.me/1abcd/1",
  "https://t.me/name/12345678901",
  `https://t.me/${"c".repeat(33)}/1`,
  "https://channelname.t.me/123",
];

/** What a WHATWG parser would mend in silence, each refused with the rule it breaks. */
const BROKEN: readonly (readonly [string, string])[] = [
  ["", "must begin with"],
  ["t.me/name/1", "must begin with"],
  ["//t.me/name/1", "must begin with"],
  ["https:t.me/name/1", "must begin with"],
  ["https:/t.me/name/1", "must begin with"],
  ["ftp://t.me/name/1", "must begin with"],
  ["constructor://t.me/name/1", "must begin with"],
  ["javascript:alert(1)//t.me/name/1", "must begin with"],
  ["javascript://t.me/name/1", "must begin with"],
  ["data:text/html,https://t.me/name/1", "must begin with"],
  [" https://t.me/name/1", "white space"],
  ["https://t.me/name/1\n", "white space"],
  ["https://t.me/na\tme/1", "white space"],
  ["https://t.me/name/1?q=a b", "white space"],
  ["https://t.me/name/1#\u3000", "white space"],
  ["https://t.me/name/1?\u0000", "control characters"],
  ["https://t.me\\name/1", "backslash"],
  ["https://t.me/name/1?a=\\", "backslash"],
  ["https://user@t.me/name/1", "user name or password"],
  ["https://user:secret@t.me/name/1", "user name or password"],
  ["https://@t.me/name/1", "user name or password"],
  ["https://t.me:443@evil.example/name/1", "user name or password"],
  ["https://t.me:8443/name/1", "port"],
  ["https://t.me:80/name/1", "port"],
  ["https://t.me:/name/1", "port"],
  ["https://t.me:0443/name/1", "port"],
  ["https://127.0.0.1/name/1", "IP address"],
  ["https://127.0.0.1:443/name/1", "IP address"],
  ["https://2130706433/name/1", "IP address"],
  ["https://0x7f000001/name/1", "IP address"],
  ["https://[::1]/name/1", "IP address"],
  ["https:///t.me/name/1", "name a host"],
  ["https://ｔ.me/name/1", "plain ASCII"],
  ["https://t%2eme/name/1", "plain ASCII"],
  ["https://t。me/name/1", "plain ASCII"],
  ["https://tｍe/name/1", "plain ASCII"],
  ["https://t.me./name/1", "ends in a dot"],
  ["https://t.me/x/../name/1", "dot segments"],
  ["https://t.me/name/%2e%2E/name/1", "dot segments"],
  ["https://t.me/./name/1", "dot segments"],
  ["https://t.me/name/1/.%2e", "dot segments"],
  ["https://www.instagram.com/stories/../1", "dot segments"],
  ["https://t.me/name/1%2f..%2f2", "is not a messenger-channel URL"],
  ["https://t.me/nam%65/1", "is not a messenger-channel URL"],
];

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

  it("lets each URL seen in public be accepted by the listed service and by no other", () => {
    const wrong = inject("seenUrls").filter(
      ({ url, service }) => accepting(url).join() !== (service ?? ""),
    );
    expect(wrong).toEqual([]);
  });
});
