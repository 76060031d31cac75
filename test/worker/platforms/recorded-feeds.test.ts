import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import type { Service } from "../../../src/contract/schemas.ts";
import { readItem } from "../../../src/platforms/instagram/item.ts";
import { parsePermalink } from "../../../src/platforms/instagram/permalink.ts";
import { parsePlayer } from "../../../src/platforms/tiktok/player.ts";
import type { Resolver } from "../../../src/search/resolver.ts";
import { codeIn, postAt, resolve, summary } from "../../support/replies.ts";
import { RESOLVERS } from "../../support/resolvers.ts";

const SERVICES: readonly Service[] = ["photo-feed", "short-video"];
const samples = inject("samples").filter(({ service }) => SERVICES.includes(service));
const recordings = inject("recordings").flatMap(({ file, body, post_url }) => {
  const service = SERVICES.find((candidate) => file.startsWith(`${candidate}/`));
  return service === undefined ? [] : [{ service, body, url: post_url }];
});

const RESULTS: Readonly<Record<string, readonly string[] | string>> = {
  "photo-feed-carousel.html": [
    "image sample-1-1440.jpg",
    "video sample-2-720.mp4",
    "image sample-3-1440.jpg",
  ],
  "photo-feed-reel.html": ["video sample-reel-720.mp4"],
  "photo-feed-shell.html": ["image sample-embed-1080.jpg"],
  "photo-feed-gated.html": "MEDIA_NOT_FOUND",
  "short-video-video.json": ["video sample-normal_720.mp4"],
  "short-video-images.json": [
    ...[1, 2, 3].map((n) => `image sample-image-${n}.jpeg`),
    "audio sample-sound.mp3",
  ],
  "short-video-gone.json": "MEDIA_NOT_FOUND",
};

it.each(samples.filter(({ sourceUrl }) => sourceUrl !== null))(
  "a bundled sample is what its post asks for: $file",
  async ({ service, sourceUrl, file }) => {
    const found = await resolve(postAt(sourceUrl ?? "", service), service, (url) => {
      const row = samples.find(({ requestUrl }) => requestUrl === url);
      return row === undefined ? new Response("", { status: 502 }) : new Response(row.body, row);
    });
    expect(summary(found)).toEqual(RESULTS[file ?? ""]);
  },
);

it("a page or reply that has changed tells which field, and no address", () => {
  const feed = postAt("https://www.instagram.com/p/CSampleCar1/", "photo-feed");
  const video = postAt("https://www.tiktok.com/@a/video/7100000000000000101", "short-video");
  const body = (file: string) => samples.find((row) => row.file === file)?.body ?? "";
  const renamed = body("photo-feed-carousel.html").replaceAll('carousel_media"', 'media_list"');
  const moved = body("short-video-video.json").replaceAll("url_list", "addresses");
  const other = body("short-video-video.json").replaceAll("7100000000000000101", "7");
  for (const [found, field] of [
    [parsePermalink(renamed, feed), "carousel_media"],
    [parsePlayer(moved, video), "video_info"],
    [parsePlayer(other, video), "items.id_str"],
  ] as const) {
    const excerpt = expect.not.stringMatching(/https?:/);
    expect(found).toMatchObject({ failure: { drift: { field, excerpt } } });
  }
});

describe("a damaged reply", () => {
  const CODES = /^(MEDIA_NOT_FOUND|UPSTREAM_(REJECTED|INVALID_RESPONSE|ERROR|TIMEOUT))$/;
  const ANY = { "photo-feed": "https://www.instagram.com/p/CSampleCar1/" };
  const FALLBACK = "https://www.tiktok.com/@sample.account/video/7100000000000000101";

  const bodies = [
    ...samples.map(({ service, body, sourceUrl }) => ({ service, body, url: sourceUrl })),
    ...recordings,
  ].map(({ service, body, url }) => {
    const own = url ?? (service === "photo-feed" ? ANY["photo-feed"] : FALLBACK);
    return { service, body, post: postAt(own, service) };
  });

  const value = fc.oneof(
    fc.constantFrom<unknown>(null, 0, -1, "", "x", [], {}, [null], true, 1e308, { url_list: [1] }),
    fc.constantFrom("https://evil.example/a.mp4", "//evil.example/a.jpg", "javascript:alert(1)"),
    fc.jsonValue({ maxDepth: 3 }),
  );

  const damage = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    size: fc.nat({ max: 300 }),
    how: fc.constantFrom(
      ...["cut", "truncate", "flip", "overwrite", "redirect", "field", "type", "nest", "repeat"],
    ),
    text: fc.oneof(
      fc.string(),
      fc.constantFrom('"', "<", "</script>", "\\", "{", "[", "\0", "null"),
    ),
    value,
  });
  type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

  const HOSTS =
    /[\w.-]+\.(?:cdninstagram|tiktokcdn(?:-us|-eu)?|tiktok|tiktokv|fbcdn)\.(?:com|net)/g;
  const FIELD = /"(?:[\w.-]+)":\s*(?:"(?:[^"\\]|\\.){0,400}"|-?\d+|true|false|null)/g;

  const flipped = (character: string) =>
    String.fromCharCode((character.codePointAt(0) ?? 0) ^ 0b100);

  const DAMAGES: Readonly<Record<string, (parts: readonly string[], damage: Damage) => string>> = {
    cut: ([head = "", , tail = ""]) => head + tail,
    truncate: ([head = ""]) => head,
    flip: ([head = "", part = "", tail = ""]) =>
      head + flipped(part.slice(0, 1)) + part.slice(1) + tail,
    overwrite: ([head = "", , tail = ""], { text }) => head + text + tail,
    redirect: ([head = "", part = "", tail = ""]) =>
      head + (part + tail).replaceAll(HOSTS, "evil.example"),
    field: ([head = "", part = "", tail = ""]) => head + (part + tail).replace(FIELD, '"x":0'),
    type: ([head = "", part = "", tail = ""], { value }) =>
      head +
      (part + tail).replace(FIELD, (field) => `${field.split(":")[0]}:${JSON.stringify(value)}`),
    nest: ([head = "", part = "", tail = ""], { size }) => {
      const depth = size * 300;
      return `${head}${"[".repeat(depth)}${part}${"]".repeat(depth)}${tail}`;
    },
    repeat: ([head = "", part = "", tail = ""]) => head + part + part + tail,
  };

  const apply = (body: string, damage: Damage) => {
    const from = Math.floor(damage.at * body.length);
    const to = from + damage.size;
    const parts = [body.slice(0, from), body.slice(from, to), body.slice(to)];
    return DAMAGES[damage.how]?.(parts, damage) ?? body;
  };

  async function claim(service: Service, body: string, post: ReturnType<typeof postAt>) {
    const found = await resolve(post, service, () => new Response(body));
    if (!found.ok) {
      expect(codeIn(found.failure)).toMatch(CODES);
      expect(found.failure.cause).not.toContain("exception");
      return;
    }
    for (const { url } of found.value.items) {
      const { protocol, hostname } = new URL(url);
      const { mediaDomains } = RESOLVERS[service];
      expect(protocol).toBe("https:");
      expect(mediaDomains.some((domain) => `.${hostname}`.endsWith(`.${domain}`))).toBe(true);
    }
  }

  const SMALL = 500_000;

  it("never throws, never yields a foreign URL, and fails with a documented code", async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...bodies.filter(({ body }) => body.length < SMALL)),
      fc.array(damage, { minLength: 1, maxLength: 5 }),
      ({ service, body, post }, damages) => claim(service, damages.reduce(apply, body), post),
    );
    await fc.assert(property, { numRuns: 1500 });
  }, 60_000);

  it("does so on the largest replies too", async () => {
    const large = [...bodies].toSorted((a, b) => b.body.length - a.body.length).slice(0, 3);
    const property = fc.asyncProperty(
      fc.constantFrom(...large),
      fc.array(damage, { minLength: 1, maxLength: 3 }),
      ({ service, body, post }, damages) => claim(service, damages.reduce(apply, body), post),
    );
    await fc.assert(property, { numRuns: 30 });
  }, 60_000);

  it("is read whatever shape an item has", () => {
    const item = fc.record(
      {
        media_type: value,
        image_versions2: value,
        video_versions: fc.oneof(value, fc.array(fc.record({ url: value, width: value }))),
        carousel_media: fc.oneof(value, fc.array(value)),
        carousel_media_count: value,
        user: value,
        caption: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(item, (candidate) => {
        const read = readItem(candidate);
        if (!read.ok) expect(codeIn(read.failure)).toMatch(CODES);
      }),
      { numRuns: 2000 },
    );
  });

  const NOISES: readonly (readonly [string, string])[] = [
    ["tags", '<script type="application/json" data-sjs>'],
    ["open tags", "<script "],
    ["codes", '{"code":"CSampleCar1","xig_polaris_media":{'],
    ["brackets", "["],
    ["quotes", '"contextJSON":"\\'],
    ["ids", '<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__">'],
    ["angles", "<"],
  ];

  it.each(NOISES)(
    "is no matter of minutes: 5 MB of %s",
    async (_, unit) => {
      const noise = unit.repeat(Math.ceil(5_000_000 / unit.length));
      const limits = { [ANY["photo-feed"]]: "photo-feed", [FALLBACK]: "short-video" } as const;
      for (const [url, service] of Object.entries(limits)) {
        const post = postAt(url, service);
        await claim(service, noise, post);
        for (const size of [999_000, 2_999_000]) {
          await claim(service, noise.slice(0, size), post);
          const open =
            '<script type="application/json" data-sjs>{"xig_polaris_media":"CSampleCar1"';
          await claim(service, open + noise.slice(0, size - open.length), post);
        }
      }
    },
    60_000,
  );

  it("reaches every source in these tests", () => {
    const { "photo-feed": feed, "short-video": video } = RESOLVERS;
    const namesOf = ({ sources }: Resolver) => sources.map(({ name }) => name);
    expect(namesOf(feed)).toEqual(expect.arrayContaining(["permalink", "embed"]));
    expect(namesOf(video)).toEqual(expect.arrayContaining(["player", "embed", "watch"]));
  });
});
