import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkMedia,
  MEDIA_URL_CHARACTERS_MAX,
  TEXT_UNITS_MAX,
} from "../../../src/search/media-check.ts";

const BOUNDS = { domains: ["twimg.com"], origins: ["http://127.0.0.1:9000"], maxResults: 20 };
const FILE = "https://video.twimg.com/x.mp4";
const NONE = { title: null, author: null, caption: null };

/** The addresses that go out. */
function out(...urls: readonly string[]): readonly string[] {
  const items = urls.map((url) => ({ type: "video", url }) as const);
  const checked = checkMedia({ items, metadata: NONE }, BOUNDS);
  return checked.ok ? checked.value.items.map(({ url }) => url) : [];
}

describe("a media URL goes out as it was checked:", () => {
  it.each([
    [
      "a backslash",
      "https://video.twimg.com\\@evil.com/x.mp4",
      "https://video.twimg.com/@evil.com/x.mp4",
    ],
    ["no slashes", "https:video.twimg.com/x.mp4", FILE],
    ["line breaks and tabs", "ht\ntps://video.twi\r\nmg.com/\tx.mp4", FILE],
    ["a NUL in the path", "https://video.twimg.com/\0x.mp4", "https://video.twimg.com/%00x.mp4"],
    ["blanks around it", `  ${FILE} `, FILE],
    ["a full-width host", "https://ｖｉｄｅｏ.twimg.com/x.mp4", FILE],
    ["upper case", "HTTPS://VIDEO.TWIMG.COM/x.mp4", FILE],
    ["the default port", "https://video.twimg.com:443/x.mp4", FILE],
    ["dot segments", "https://video.twimg.com/a/../x.mp4", FILE],
    ["a fragment", `${FILE}#t=1`, FILE],
    ["quotes and angles", `${FILE}?a="<b>`, `${FILE}?a=%22%3Cb%3E`],
    ["the operator's own server", "HTTP://127.0.0.1:9000/t?id=1#a", "http://127.0.0.1:9000/t?id=1"],
  ])("%s", (_, url, expected) => {
    expect(out(url)).toEqual([expected]);
  });
});

describe("no media URL goes out", () => {
  it.each([
    "blob:http://127.0.0.1:9000/1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
    "blob:https://video.twimg.com/1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
    "ws://127.0.0.1:9000/t",
    "https://127.0.0.1:9000/t",
    "http://video.twimg.com/x.mp4",
    "ftp://video.twimg.com/x.mp4",
    "https://video.twimg.com./x.mp4",
    "https://video.twimg.com.evil.com/x.mp4",
    "https://evil.com\\@video.twimg.com/x.mp4",
    "https://evil.com/https://video.twimg.com/x.mp4",
    "javascript://video.twimg.com/%0aalert(1)",
    "//video.twimg.com/x.mp4",
    "https://video.twimg.com/pl/x.m3u8?tag=12&v=.mp4",
    "https://video.twimg.com/pl/x.MPD#.mp4",
    "",
  ])("of another kind or place: %j", (url) => {
    expect(out(url)).toEqual([]);
  });

  it("that is too long, as written or as read", () => {
    const long = (characters: number) => `${FILE}?${"a".repeat(characters - FILE.length - 1)}`;
    expect(out(long(MEDIA_URL_CHARACTERS_MAX))).toHaveLength(1);
    expect(out(long(MEDIA_URL_CHARACTERS_MAX + 1))).toEqual([]);
    expect(out(long(900_000))).toEqual([]);
    expect(out(`${FILE}?${"ü".repeat(1_000)}`)).toEqual([]);
  });
});

describe("one file is one item", () => {
  it("however it is spelt", () => {
    const spellings = [
      FILE,
      `${FILE}#1`,
      `${FILE}#2`,
      `${FILE}?`,
      "https:video.twimg.com/x.mp4",
      "https://VIDEO.twimg.com/x.mp4",
      "https://video.twimg.com:443/x.mp4",
      "https://video.twimg.com/./x.mp4",
      "https://video.twimg.com/%78.mp4",
      "https:\\\\video.twimg.com\\x.mp4",
      "https://video.twimg.com/x.m\np4",
    ];
    expect(out(...spellings)).toEqual([FILE]);
  });

  it("and its first type counts", () => {
    const items = [
      { type: "video", url: FILE },
      { type: "image", url: `${FILE}#a` },
    ] as const;
    expect(checkMedia({ items, metadata: NONE }, BOUNDS)).toMatchObject({
      value: { items: [{ type: "video", url: FILE }] },
    });
  });

  it("but escapes that mean something tell files apart", () => {
    const files = [FILE, `${FILE}?a=%26b`, `${FILE}?a=&b`, "https://video.twimg.com/%2Fx.mp4"];
    expect(out(...files)).toEqual(files);
  });
});

it("what goes out is what any URL parser reads, whatever a source found", () => {
  const scheme = fc.constantFrom(
    "https://",
    "https:",
    "HTTPS:\\\\",
    "http://",
    "blob:https://",
    "",
  );
  const host = fc.constantFrom(
    "video.twimg.com",
    "evil.com",
    "127.0.0.1:9000",
    "twimg.com.",
    "ｔwimg.com",
  );
  const junk = fc.string({ unit: fc.constantFrom(..."\\@/?#:%0a\t\n\0 .éａ&="), maxLength: 12 });
  const url = fc.tuple(junk, scheme, junk, host, junk).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(url, { maxLength: 30 }), (urls) => {
      const addresses = out(...urls);
      expect(new Set(addresses).size).toBe(addresses.length);
      for (const address of addresses) {
        const { href, protocol, hostname, host: place, hash } = new URL(address);
        expect(href).toBe(address);
        expect(hash).toBe("");
        const isOwn = protocol === "https:" && /(?:^|\.)twimg\.com$/.test(hostname);
        expect(isOwn || `${protocol}//${place}` === "http://127.0.0.1:9000").toBe(true);
        expect(address).toMatch(/^[!-~]+$/);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe("a text goes out", () => {
  const captionOf = (caption: string) => {
    const items = [{ type: "video", url: FILE }] as const;
    const checked = checkMedia({ items, metadata: { ...NONE, caption } }, BOUNDS);
    return checked.ok ? checked.value.metadata.caption : undefined;
  };
  const MAX = TEXT_UNITS_MAX.caption;

  it.each([
    ["without control characters", "a\0b\u0007c\u001b[31md\u007fe\u009ff", "abc[31mdef"],
    ["with its line breaks, of one kind", "a\nb\r\nc\rd\u2028e\u0085f", "a\nb\nc\nd\ne\nf"],
    ["with a blank for a tab", "a\tb", "a b"],
    ["without bidirectional overrides", "a\u202eb\u2066c\u2069d", "abcd"],
    [
      "with the marks that words consist of",
      "می\u200cخواهم \u200f👩\u200d🚀",
      "می\u200cخواهم \u200f👩\u200d🚀",
    ],
    ["well-formed", "a\ud800b", "a\ufffdb"],
    ["trimmed", " \u0000\n a \u0001\n ", "a"],
  ])("%s", (_, text, expected) => {
    expect(captionOf(text)).toBe(expected);
  });

  it("as null when nothing is left", () => {
    expect(captionOf(" \u0000\u202e\n ")).toBeNull();
  });

  it.each(["👍", "👩‍👩‍👧‍👦", "e\u0301", "🇦🇹", "क्षि"])("cut between characters: %s", (character) => {
    for (let lead = 0; lead < 15; lead++) {
      const text = captionOf("x".repeat(lead) + character.repeat(MAX)) ?? "";
      expect(text.length).toBeLessThanOrEqual(MAX);
      expect(text.length).toBeGreaterThan(MAX - character.length);
      const rest = text.slice(lead);
      expect(rest).toBe(character.repeat(rest.length / character.length));
    }
  });

  it("cut at its bound, though it were a single character", () => {
    const text = captionOf(`a${"\u0301".repeat(MAX * 2)}`) ?? "";
    expect(text).toHaveLength(MAX);
    expect(captionOf(`${"x".repeat(MAX - 1)}👍`)).toBe("x".repeat(MAX - 1));
  });

  it("each within its own bound", () => {
    const long = "a".repeat(50_000);
    const items = [{ type: "video", url: FILE }] as const;
    const metadata = { title: long, author: long, caption: long };
    const checked = checkMedia({ items, metadata }, BOUNDS);
    expect(checked).toMatchObject({
      value: {
        metadata: {
          title: "a".repeat(TEXT_UNITS_MAX.title),
          author: "a".repeat(TEXT_UNITS_MAX.author),
          caption: "a".repeat(TEXT_UNITS_MAX.caption),
        },
      },
    });
  });

  it("soon, and within its bound, when somebody has blown it up", () => {
    const ends = (part: string) => captionOf(`${part.repeat(1_000_000)}x`);
    expect([ends(" "), ends("\r")]).toEqual(["x", "x"]);
    expect([ends("\0"), ends("\u202e")]).toEqual([null, null]);
    for (const part of ["a\u0301", "👍", "\ud800"]) {
      expect(ends(part)?.length).toBeGreaterThan(MAX - 3);
      expect(ends(part)?.length).toBeLessThanOrEqual(MAX);
    }
  });
});
