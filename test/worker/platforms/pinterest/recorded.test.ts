import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import type { Post } from "../../../../src/search/resolver.ts";
import { postAt, resolve, summary } from "../../../support/replies.ts";

/** A recording without a post's address, with the pin that it is of; any pin for a page of none. */
const UNNAMED: Readonly<Record<string, string>> = {
  "pinboard/relay-storypin-cosmic.json": "52213676923889828",
  "pinboard/page-user-negative.html": "1",
};

const recordings = inject("recordings").flatMap((row) => {
  if (!row.file.startsWith("pinboard/")) return [];
  const url = row.post_url ?? `https://www.pinterest.com/pin/${UNNAMED[row.file]}/`;
  return [{ ...row, post: postAt(url, "pinboard") }];
});

const samples = inject("samples").filter(({ service }) => service === "pinboard");

it.each(recordings)("a recorded reply gives what it shows: $file", async (recording) => {
  const { post, body, status, items, author } = recording;
  const found = await resolve(post, "pinboard", () => new Response(body));
  const listed = items.map((item) => `${item.type} ${item.file_name}`);
  expect(summary(found)).toEqual(status === "ok" ? listed : "UPSTREAM_INVALID_RESPONSE");
  if (found.ok) expect(found.value.metadata.author).toBe(author);
});

it.each(recordings)("a recorded reply gives nothing for another pin: $file", async ({ body }) => {
  const other = postAt("https://www.pinterest.com/pin/999999999999999999/", "pinboard");
  const found = await resolve(other, "pinboard", () => new Response(body));
  expect(summary(found)).toBe("UPSTREAM_INVALID_RESPONSE");
});

describe("the bundled samples give", () => {
  const FILE = `${"0".repeat(31)}`;
  const SLOTS = [1, 2, 3].map((slot) => `image sample-slot-${slot}.jpg`);

  it.each([
    ["/pin/1000000000000000101/", ["image sample-image.jpg"]],
    ["/pin/1000000000000000102/", [`video ${FILE}2.mp4`]],
    [
      "/pin/1000000000000000103/",
      ["image sample-page-1.jpg", `video ${FILE}3.mp4`, "image sample-page-3.jpg"],
    ],
    ["/pin/1000000000000000104/", SLOTS],
    ["/pin/1000000000000000105/", [`video ${FILE}5.mp4`]],
    ["/pin/1000000000000000106/", ["image sample-page.jpg"]],
    ["/pin/1000000000000000404/", "MEDIA_NOT_FOUND"],
    ["/Sample101", ["image sample-image.jpg"]],
    ["/Sample404", "MEDIA_NOT_FOUND"],
  ])("what their notes say: %s", async (path, expected) => {
    const source = samples.find(({ sourceUrl }) => sourceUrl?.endsWith(path));
    const found = await resolve(postAt(source?.sourceUrl ?? "", "pinboard"), "pinboard", (url) => {
      const sample = samples.find(({ requestUrl }) => requestUrl === url);
      const { status = 502, headers = {}, body = null } = sample ?? {};
      return new Response(status === 302 ? null : body, { status, headers });
    });
    expect(summary(found)).toEqual(expected);
  });
});

/** A reply in all its places, with the files that are derived from it there for the asking. */
async function resolveDamaged(post: Post, body: string) {
  const found = await resolve(post, "pinboard", (url, { method }) => {
    const type = url.endsWith(".mp4") ? "video/mp4" : "image/jpeg";
    return method === "HEAD"
      ? new Response(null, { headers: { "content-type": type } })
      : new Response(body);
  });
  if (!found.ok) {
    expect(found.failure.code).toMatch(
      /^(MEDIA_NOT_FOUND|UPSTREAM_(REJECTED|INVALID_RESPONSE|ERROR))$/,
    );
    expect(found.failure.cause).not.toContain("exception");
    return found;
  }
  expect(found.value.items.length).toBeGreaterThan(0);
  for (const { url } of found.value.items) {
    expect(url).toMatch(/^https:\/\/(?:i|v1)\.pinimg\.com\//);
    expect(url).not.toMatch(/\.(?:m3u8|mpd)(?:$|\?)/);
  }
  return found;
}

describe("a damaged reply never throws, and never yields a foreign address or a playlist", () => {
  const sampled = samples.flatMap((row) => {
    const id = /1000000000000000\d+/.exec(row.requestUrl ?? "")?.[0];
    if (row.body === "" || id === undefined) return [];
    return [{ body: row.body, post: postAt(`https://www.pinterest.com/pin/${id}/`, "pinboard") }];
  });
  const replies = [...recordings, ...sampled];
  const json = replies.filter(({ body }) => body.trimStart().startsWith("{"));

  // Not a double between 0 and 1, of which nearly all lie close to 0.
  const share = fc.maxSafeNat().map((number) => number / Number.MAX_SAFE_INTEGER);
  const ODD = ["null", '"', "{", "[", "</script>", "<script>", "\\", "\0", "&", "m3u8", "1e999"];
  const FOREIGN = [
    "https://evil.example/",
    "//evil.example/",
    "javascript:",
    "http://i.pinimg.com@evil.example/",
  ];

  const cut = fc.record({
    at: share,
    sizeCharacters: fc.nat({ max: 300 }),
    text: fc.oneof(fc.string(), fc.constantFrom(...ODD)),
  });

  /** Pages are long and mostly markup: half of the cuts go where the data lies. */
  function overwrite(
    body: string,
    { at, sizeCharacters, text }: typeof cut extends fc.Arbitrary<infer T> ? T : never,
  ) {
    const from = Math.floor((at < 0.5 ? 0.89 + at / 5 : at) * body.length);
    return body.slice(0, from) + text + body.slice(from + sizeCharacters);
  }

  it("when its text is cut, overwritten, truncated or pointed elsewhere", async () => {
    const damage = fc.record({
      cuts: fc.array(cut, { minLength: 1, maxLength: 4 }),
      kept: fc.oneof(fc.constant(1), share),
      host: fc.oneof(fc.constant("$&"), fc.constantFrom(...FOREIGN)),
    });
    const property = fc.asyncProperty(
      fc.constantFrom(...replies),
      damage,
      async ({ post, body }, { cuts, kept, host }) => {
        const text = cuts.reduce(overwrite, body.slice(0, Math.ceil(kept * body.length)));
        await resolveDamaged(post, text.replaceAll(/https:\/\/(?:i|v1)\.pinimg\.com\//g, host));
      },
    );
    await fc.assert(property, { numRuns: 600 });
  });

  it("when bytes of it are flipped", async () => {
    const flips = fc.array(fc.tuple(share, fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 40,
    });
    const property = fc.asyncProperty(
      fc.constantFrom(...json),
      flips,
      async ({ post, body }, list) => {
        const bytes = new TextEncoder().encode(body);
        for (const [at, mask] of list) {
          const place = Math.floor(at * (bytes.length - 1));
          bytes[place] = (bytes[place] ?? 0) ^ mask;
        }
        await resolveDamaged(post, new TextDecoder().decode(bytes));
      },
    );
    await fc.assert(property, { numRuns: 600 });
  });

  /** Puts something else, or nothing, in one place of a tree; the places are counted as they come. */
  function replaceAt(root: unknown, at: number, other: unknown): unknown {
    let places = 0;
    JSON.stringify(root, (_name, value: unknown) => {
      places++;
      return value;
    });
    let left = Math.floor(at * places);
    return JSON.parse(
      JSON.stringify(root, (_name, value: unknown) => (left-- === 0 ? other : value)) ?? "null",
    );
  }

  it("when fields of it are removed, change their type or nest deep", async () => {
    const deep = JSON.parse(`${'{"images":{"orig":'.repeat(400)}1${"}}".repeat(400)}`);
    const list = {
      video_list: {
        V_720P: { url: "https://evil.example/a.mp4" },
        V_HLSV4: { url: "https://evil.example/videos/iht/hls/00/00/00/x.m3u8" },
      },
    };
    const other = fc.oneof(
      fc.constantFrom<unknown>(
        undefined,
        null,
        0,
        1e300,
        true,
        "",
        [],
        {},
        deep,
        [deep],
        list,
        "__proto__",
      ),
      fc.constantFrom(...FOREIGN.map((url) => ({ url, width: 9999 }))),
      fc.jsonValue(),
    );
    const changes = fc.array(fc.tuple(share, other), { minLength: 1, maxLength: 5 });
    const property = fc.asyncProperty(
      fc.constantFrom(...json),
      changes,
      async ({ post, body }, all) => {
        const damaged = all.reduce<unknown>(
          (root, [at, value]) => replaceAt(root, at, value),
          JSON.parse(body),
        );
        await resolveDamaged(post, JSON.stringify(damaged));
      },
    );
    await fc.assert(property, { numRuns: 600 });
  });

  it.each([
    ["noise", (id: string) => `${id}\u0000{<"`],
    ["scripts without an end", (id: string) => `<script>{"${id}"`],
    ["scripts that end", (id: string) => `<script>{${id}}</script>`],
    ["open brackets", () => "["],
    ["open objects", (id: string) => `{"${id}":`],
  ])("when it is 5 MB of %s, or as much of it as is read", async (_what, part) => {
    const post = postAt("https://www.pinterest.com/pin/1000000000000000001/", "pinboard");
    for (const sizeBytes of [5_000_000, 2_900_000, 900_000]) {
      const noise = part(post.id).repeat(sizeBytes / part(post.id).length);
      const begin = performance.now();
      const found = await resolveDamaged(post, noise);
      expect(summary(found)).toBe("UPSTREAM_INVALID_RESPONSE");
      expect(performance.now() - begin).toBeLessThan(5_000);
    }
  });
});
