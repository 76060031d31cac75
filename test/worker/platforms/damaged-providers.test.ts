import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import type { Service } from "../../../src/contract/schemas.ts";
import { postAt, resolve } from "../../support/replies.ts";

const CODES = /^(MEDIA_NOT_FOUND|UPSTREAM_(REJECTED|INVALID_RESPONSE|ERROR|TIMEOUT))$/;
const VARIABLES = { HIKERAPI_KEY: "key", COBALT_URL: "https://cobalt.example", SOURCES: null };
const INSTANCE = "https://cobalt.example/tunnel?id=1";
const CDN = "https://scontent.cdninstagram.com";

/** Synthetic replies, and the recorded ones where they lie beside the checkout. */
const REPLIES: readonly {
  readonly service: Service;
  readonly url: string;
  readonly body: string;
}[] = [
  {
    service: "photo-feed-story",
    url: "https://www.instagram.com/stories/sample/11/",
    body: JSON.stringify({ pk: "11", id: "11_9", media_type: 2, video_url: `${CDN}/a.mp4` }),
  },
  {
    service: "photo-feed-highlight",
    url: "https://www.instagram.com/stories/highlights/12/",
    body: JSON.stringify({
      response: {
        reels: {
          "highlight:12": {
            pk: "12",
            title: "t",
            user: { username: "sample", is_private: false },
            items: [1, 2].map((pk) => ({ pk, media_type: 1, thumbnail_url: `${CDN}/${pk}.jpg` })),
          },
        },
      },
    }),
  },
  ...[
    { status: "tunnel", url: INSTANCE, filename: "a.mp4" },
    {
      status: "picker",
      picker: [{ type: "photo", url: "https://pbs.twimg.com/a.jpg" }],
      audio: INSTANCE,
    },
    { status: "error", error: { code: "error.api.fetch.empty" } },
  ].map((body) => ({
    service: "microblog" as const,
    url: "https://x.com/sample/status/1",
    body: JSON.stringify(body),
  })),
  ...inject("recordings").flatMap(({ file, body }) =>
    file.startsWith("photo-feed-highlight/")
      ? [
          {
            service: "photo-feed-highlight" as const,
            url: "https://www.instagram.com/stories/highlights/17893209825281221/",
            body,
          },
        ]
      : [],
  ),
];

const FOREIGN = [
  "https://evil.example/a.mp4",
  "http://scontent.cdninstagram.com/a",
  "javascript:1",
];
const ODD = ["null", "{}", "[]", "7", '""', "true", '{"a":1}', "1e999", "-0", "[[[[]]]]"];

/** What stands at a place of the text, or in place of a whole value, is another thing. */
const damage = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  sizeCharacters: fc.nat({ max: 60 }),
  how: fc.constantFrom("cut", "truncate", "insert", "retype", "rename", "redirect", "nest", "flip"),
  text: fc.oneof(fc.string(), fc.constantFrom(...ODD)),
  foreign: fc.constantFrom(...FOREIGN),
});
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function apply(body: string, { at, sizeCharacters, how, text, foreign }: Damage): string {
  const from = Math.floor(at * body.length);
  const [head, tail] = [body.slice(0, from), body.slice(from)];
  const rest = tail.slice(sizeCharacters);
  const json = ODD.includes(text) ? text : "null";
  if (how === "cut") return head + rest;
  if (how === "truncate") return head;
  if (how === "insert") return head + text + tail;
  if (how === "retype") return head + tail.replace(/:\s*("(?:[^"\\]|\\.)*"|[\w.]+)/, `:${json}`);
  if (how === "rename") return head + tail.replace(/"\w+"\s*:/, '"x":');
  if (how === "redirect") return head + tail.replace(/https:[^"]*/, foreign);
  if (how === "nest") return head + tail.replace(/:\s*\{/, `:${'{"a":'.repeat(sizeCharacters)}{`);
  const flipped = String.fromCharCode((tail.charCodeAt(0) || 0) ^ (1 << (sizeCharacters % 7)));
  return head + flipped + tail.slice(1);
}

const HOSTS = /(?:^|\.)(?:cdninstagram\.com|fbcdn\.net|pbs\.twimg\.com|video\.twimg\.com)$/;

async function claim({ service, url, body }: (typeof REPLIES)[number]): Promise<void> {
  const answer = (target: string) =>
    new Response(body, { status: target.includes("syndication") ? 403 : 200 });
  const found = await resolve(postAt(url, service), service, answer, VARIABLES);
  if (!found.ok) {
    expect(found.failure.code).toMatch(CODES);
    expect(found.failure.cause).not.toContain("exception");
    return;
  }
  expect(found.value.items.length).toBeGreaterThan(0);
  for (const item of found.value.items) {
    const { origin, protocol, hostname } = new URL(item.url);
    if (service === "microblog" && origin === "https://cobalt.example") continue;
    expect(protocol).toBe("https:");
    expect(hostname).toMatch(HOSTS);
  }
}

describe("a damaged reply of a provider", () => {
  it("never throws, never yields a foreign URL, and fails with a documented code", async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...REPLIES),
      fc.array(damage, { minLength: 1, maxLength: 4 }),
      async (reply, damages) => claim({ ...reply, body: damages.reduce(apply, reply.body) }),
    );
    await fc.assert(property, { numRuns: 3000 });
  });

  it.each([
    ["of noise", "x".repeat(5_000_000)],
    ["of quotes", '"\\'.repeat(2_000_000)],
    ["of brackets", "[".repeat(1_000_000)],
    ["of objects", `${'{"response":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["of digits", "9".repeat(1_000_000)],
  ])("is refused when it is megabytes %s", async (_, body) => {
    for (const reply of REPLIES) await claim({ ...reply, body });
  });
});
