import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { recognize } from "../../../infra/clients/typescript/src/services/recognize.ts";
import { SERVICES as KNOWN } from "../../../infra/clients/typescript/src/services/services.ts";
import { SERVICES, serviceSchema, URL_LIMIT_CHARACTERS } from "../../../src/contract/schemas.ts";
import { parsePostUrl } from "../../../src/search/post-url.ts";
import { ACCEPTED, BROKEN, REFUSED } from "../../support/post-urls.ts";
import { RESOLVERS } from "../../support/resolvers.ts";

const RECORDED = fileURLToPath(new URL("../../../../shared/recorded/urls.json", import.meta.url));
const seenSchema = z.array(z.object({ url: z.string(), service: z.nullable(serviceSchema) }));
const seen = existsSync(RECORDED)
  ? seenSchema.parse(JSON.parse(readFileSync(RECORDED, "utf8")))
  : [];

const urls = [
  ...ACCEPTED.map(([url]) => url),
  ...REFUSED,
  ...BROKEN.map(([url]) => url),
  ...seen.map(({ url }) => url),
  "https://vm.tiktok.com/ZMabc1234/",
  "HTTP://T.ME:80/s/Name/12/?q=ü&single#top",
];

/** What the worker decides about a URL, over all its services. */
function decide(url: string) {
  for (const service of SERVICES) {
    const { multiplier } = RESOLVERS[service];
    const post = parsePostUrl(url, RESOLVERS[service]);
    if (!post.ok) continue;
    const { url: normalised, isShortLink } = post.value;
    return { ok: true, service, url: normalised.href, creditsPerItem: multiplier, isShortLink };
  }
  return { ok: false, message: expect.stringMatching(/^url: /) };
}

/** What the worker says to a client that sends the URL as one of each service. */
function messages(url: string, services: readonly Parameters<typeof parsePostUrl>[1][]) {
  return services.map((service) => {
    const post = parsePostUrl(url, service, services);
    return post.ok ? { url: post.value.url.href, id: post.value.id } : post.failure.message;
  });
}

describe("recognize", () => {
  it("decides as the worker does, about every URL of the tests and every recorded one", () => {
    const decisions = urls.map((url) => [url, recognize(url)]);
    expect(decisions).toEqual(urls.map((url) => [url, decide(url)]));
    expect(urls.length).toBeGreaterThan(seen.length > 0 ? 700 : 100);
  });

  it("reads the same rules as the worker, to the last word of each message", () => {
    const resolvers = SERVICES.map((service) => RESOLVERS[service]);
    for (const url of urls) expect(messages(url, KNOWN)).toEqual(messages(url, resolvers));
  });

  it("says what is wrong with a URL that no service takes", () => {
    const message = (url: string) => {
      const recognized = recognize(url);
      return recognized.ok ? null : recognized.message;
    };
    expect(message("ftp://t.me/name/1")).toBe("url: must begin with https:// or http://");
    expect(message("https://example.org/")).toMatch(
      /^url: is not a supported URL; expected instagram\.com\/p\/<code> or .* or t\.me\/<channel>\/<number>$/,
    );
    expect(message("https://vm.tiktok.com/ZMabc1234/")).toMatch(
      /; this is a short share link of short-video: expand it first, and send the URL that it leads to$/,
    );
  });

  it("counts characters as the service does", () => {
    const long = (characters: number) => {
      const start = "https://t.me/name/1?q=";
      return start + "😀".repeat(characters - start.length);
    };
    expect(recognize(long(URL_LIMIT_CHARACTERS))).toMatchObject({ ok: true });
    expect(recognize(long(URL_LIMIT_CHARACTERS + 1))).toEqual({
      ok: false,
      message: "url: must be at most 2048 characters",
    });
  });
});
