import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { type Service, serviceSchema } from "../../../src/contract/schemas.ts";
import { postAt, resolve, summary } from "../../support/replies.ts";
import { RESOLVERS } from "../../support/resolvers.ts";

const ANY_POST: Partial<Record<Service, string>> = {
  microblog: "https://x.com/any/status/1",
  "messenger-channel": "https://t.me/unlimitedhangout/1",
};

const FAILURES: Readonly<Record<string, string>> = {
  no_media: "MEDIA_NOT_FOUND",
  unavailable: "MEDIA_NOT_FOUND",
  media_too_big: "MEDIA_NOT_FOUND",
  not_found: "MEDIA_NOT_FOUND",
  no_message_markup: "UPSTREAM_INVALID_RESPONSE",
};

/** Where the index counts a post's own media only, and the contract the quoted post's as well. */
const QUOTED: Readonly<Record<string, readonly string[]>> = {
  "microblog/synd-doc-tweet-with-quote-tweet.json": ["image FsZNOgcWAAEQtrd.jpg"],
};

/** Some recordings say that there is nothing, and not where. */
const recordings = inject("recordings").flatMap((row) => {
  const service = serviceSchema.parse(row.file.replace(/\/.*$/, ""));
  if (ANY_POST[service] === undefined) return [];
  const isPost = /\d$/.test(row.post_url ?? "");
  const post = postAt((isPost ? row.post_url : ANY_POST[service]) ?? "", service);
  return [{ ...row, service, post }];
});

const samples = inject("samples").flatMap((row) => {
  const post = row.sourceUrl === null ? null : postAt(row.sourceUrl, row.service);
  return post === null ? [] : [{ ...row, post }];
});

it.each(recordings)("a recorded reply gives what it shows: $file", async (recording) => {
  const { service, post, body, file, status, author, items } = recording;
  const found = await resolve(post, service, () => new Response(body));
  const listed = items.map((item) => `${item.type} ${item.file_name}`);
  expect(summary(found)).toEqual(QUOTED[file] ?? FAILURES[status] ?? listed);
  if (found.ok) expect(found.value.metadata.author).toBe(author);
});

describe("a bundled sample", () => {
  const ALBUM = [
    "image sample-photo-110.jpg",
    "video sample-video-111.mp4",
    "image sample-photo-112.jpg",
    "video sample-video-113.mp4",
  ];

  it.each([
    ["microblog-video.json", ["video sample-720p.mp4"]],
    ["microblog-photos.json", [1, 2, 3, 4].map((n) => `image SAMPLEphoto000${n}.jpg`)],
    ["microblog-quoted.json", ["image SAMPLEquoted001.jpg"]],
    ["microblog-tombstone.json", "MEDIA_NOT_FOUND"],
    ["microblog-text.json", "MEDIA_NOT_FOUND"],
    ["messenger-channel-photo.html", ["image sample-photo-101.jpg"]],
    ["messenger-channel-album.html", ALBUM],
    ["messenger-channel-not-found.html", "MEDIA_NOT_FOUND"],
    ["photo-feed-story-video.json", ["video sample-story-101.mp4"]],
    ["photo-feed-story-photo.json", ["image sample-story-102.jpg"]],
    [
      "photo-feed-highlight.json",
      ["video sample-highlight-211.mp4", "image sample-highlight-212.jpg"].concat(
        "video sample-highlight-213.mp4",
      ),
    ],
  ])("is what its post asks for: %s", async (file, expected) => {
    const rows = samples.filter((row) => row.file === file);
    expect(rows).not.toEqual([]);
    for (const { service, post, requestUrl, body, ...reply } of rows) {
      const found = await resolve(
        post,
        service,
        (url) =>
          url === requestUrl ? new Response(body, reply) : new Response(url, { status: 502 }),
        { HIKERAPI_KEY: "sample" },
      );
      const isSingle = post.url.searchParams.has("single");
      expect(summary(found)).toEqual(isSingle ? ["video sample-video-111.mp4"] : expected);
    }
  });
});

describe("a damaged reply", () => {
  const bodies = [...recordings, ...samples].filter(({ body }) => body !== "");
  const CODES = /^(MEDIA_NOT_FOUND|UPSTREAM_(REJECTED|INVALID_RESPONSE|ERROR|TIMEOUT))$/;

  /** Cut out, repeated, overwritten, or pointed elsewhere, at places of its own text. */
  const damage = fc.record({
    // Not a double between 0 and 1, of which nearly all lie close to 0.
    at: fc.maxSafeNat().map((number) => number / Number.MAX_SAFE_INTEGER),
    sizeCharacters: fc.nat({ max: 200 }),
    how: fc.constantFrom("cut", "repeat", "truncate", "overwrite", "redirect"),
    text: fc.oneof(
      fc.string(),
      fc.constantFrom(...['"', "<", ">", "'", "&", "null", "{", "[", "</a>", "<br>", "\\", "\0"]),
      fc.constantFrom("https://evil.example/a.mp4", "//evil.example/a.jpg", "javascript:alert(1)"),
    ),
  });

  const HOSTS = /(?:pbs|video)\.twimg\.com|cdn\d\.(?:telesco\.pe|telegram-cdn\.org)/g;

  type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

  function apply(body: string, { at, sizeCharacters, how, text }: Damage) {
    const from = Math.floor(at * body.length);
    const [head, part, tail] = [
      body.slice(0, from),
      body.slice(from, from + sizeCharacters),
      body.slice(from + sizeCharacters),
    ];
    if (how === "cut") return head + tail;
    if (how === "repeat") return head + part + part + tail;
    if (how === "truncate") return head;
    if (how === "overwrite") return head + text + tail;
    return head + (part + tail).replaceAll(HOSTS, "evil.example");
  }

  it("never throws, never yields a foreign URL, and fails with a documented code", async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...bodies),
      fc.array(damage, { minLength: 1, maxLength: 4 }),
      async ({ service, post, body }, damages) => {
        const damaged = damages.reduce(apply, body);
        const found = await resolve(post, service, () => new Response(damaged));
        if (!found.ok) {
          expect(found.failure.code).toMatch(CODES);
          expect(found.failure.cause).not.toContain("exception");
          return;
        }
        expect(found.value.items.length).toBeGreaterThan(0);
        for (const { url } of found.value.items) {
          const { protocol, hostname } = new URL(url);
          const domains = RESOLVERS[service].mediaDomains;
          expect(protocol).toBe("https:");
          expect(domains.some((domain) => `.${hostname}`.endsWith(`.${domain}`))).toBe(true);
        }
      },
    );
    await fc.assert(property, { numRuns: 2000 });
  });
});
