import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openLog } from "../../../src/log/log.ts";
import { describeThrown, outside, scrubbedCause } from "../../../src/log/scrub.ts";

const KEY = "svc_live_0wTdYzabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ";

describe("a text from outside", () => {
  it.each([
    ['{"url":"https://cdn.example/a?sig=b","n":1}', '{"url":"<url>","n":1}'],
    ['{"url":"https:\\/\\/cdn.example\\/a"}', '{"url":"<url>"}'],
    ['<a href="//cdn.example/a">x', '<a href="<url>">x'],
    ["at https%3A%2F%2Fcdn.example%2Fa1 there", "at <url> there"],
    ["see (https://cdn.example/a,b?sig=c,d) there", "see (<url> there"],
    ['{"csrf_token":"abc","kind":"x"}', '{"csrf_token":"<secret>","kind":"x"}'],
    ['{\\"token\\":\\"abc def\\"}', '{\\"token\\":\\"<secret>"}'],
    ["?a=1&api_key=hunter2&b=2", "?a=1&api_key=<secret>&b=2"],
    ["Authorization: Bearer hunter-2", "Authorization: Bearer <secret>"],
    ["x-access-key: hunter2!", "x-access-key: <secret>"],
    ["HIKERAPI_KEY: Invalid input", "HIKERAPI_KEY: Invalid input"],
    ['{"pk":3776832898280228145,"n":12}', '{"pk":<data>,"n":12}'],
    ['{"at":1764453631}', '{"at":<digits>}'],
    ["eyJ2ZXJzaW9uIjo1LCJwYXlsb2FkIjp7ImlzX2Fu", "<data>"],
    [KEY, "<data>"],
    ["write to some.one@mail.example now", "write to <address> now"],
    ["reels.highlight:17893209825281221.items", "reels.highlight:<data>.items"],
    ["items.0.carousel_media.1.image_versions2", "items.0.carousel_media.1.image_versions2"],
    ['{"edge_media_to_parent_comment":null}', '{"edge_media_to_parent_comment":null}'],
    ["<title>Log  in\n\n please</title>", "<title>Log in please</title>"],
    ["a\u0000b\u001b[31mc\u202ed", "a b [31mc d"],
    [
      "ProvisionedThroughputExceededException: slow",
      "ProvisionedThroughputExceededException: slow",
    ],
  ])("becomes of %j", (text, scrubbed) => {
    expect(outside(text)).toBe(scrubbed);
    expect(outside(scrubbed)).toBe(scrubbed);
  });

  it("is bounded, and shows nothing of what its bound has cut", () => {
    expect(outside("word ".repeat(10_000))).toHaveLength(200);
    expect(scrubbedCause("word ".repeat(10_000))).toHaveLength(500);
    expect(outside(`${" ".repeat(1995)}https://cdn.example/`)).toBe("");
  });

  it("holds no address and no long number, whatever came", () => {
    const pieces = fc.constantFrom(
      "https://",
      "a.example/",
      "1234567",
      " ",
      '"',
      "\\/",
      "@",
      "x",
      ":",
    );
    const property = fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const text = outside(parts.join(""));
      expect(text).not.toMatch(/\/\/|\\\/\\\/|\d{6}/);
      expect(text.length).toBeLessThanOrEqual(200);
    });
    fc.assert(property);
  });

  it.each(["a", '"', '"token', " ", "a:", "@", "a@", "/", "\\/", "key=", "%2f", "1", "key: ", "<"])(
    "made of %j takes no longer for its length",
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length);
      const begin = performance.now();
      for (let turn = 0; turn < 50; turn++) scrubbedCause(text);
      expect(performance.now() - begin).toBeLessThan(2_000);
    },
  );
});

it("what was thrown is described with its name and scrubbed", () => {
  expect(describeThrown(new TypeError("no https://a.example/?k=1"))).toBe("TypeError: no <url>");
  expect(describeThrown({ toString: () => "x@y.example" })).toBe("<address>");
});

describe("the log", () => {
  it("scrubs what nobody scrubbed before", () => {
    const lines: string[] = [];
    const log = openLog((line) => void lines.push(line));
    log({ event: "x", cause: `of ${KEY}`, excerpt: "a@b.example", status: 502, key_id: null });
    log({ event: "y", other: `${"long ".repeat(20)}https://a.example/` });
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { event: "x", cause: "of <data>", excerpt: "<address>", status: 502, key_id: null },
      { event: "y", other: `${"long ".repeat(20)}<url>` },
    ]);
  });

  it("leaves ids as they are", () => {
    const lines: string[] = [];
    const entry = {
      event: "request",
      request_id: "01a1fc0d-aedf-765a-bcda-c8e545d61d29",
      account: "acct_0123456789abcdef01",
      key_id: "key_ba7816bf8f01cfea414140de",
    };
    openLog((line) => void lines.push(line))(entry);
    expect(lines).toEqual([JSON.stringify(entry)]);
  });
});
