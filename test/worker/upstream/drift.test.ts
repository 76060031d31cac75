import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drifted, excerptOf } from "../../../src/upstream/drift.ts";

describe("excerptOf", () => {
  it.each([
    ['{"url":"https://cdn.example/a?sig=b","n":1}', '{"url":"<url>","n":1}'],
    ['{"url":"https:\\/\\/cdn.example\\/a"}', '{"url":"<url>"}'],
    ['<a href="//cdn.example/a">x', '<a href="<url>">x'],
    ["at https%3A%2F%2Fcdn.example%2Fa1 there", "at <data> there"],
    ['{"csrf_token":"abc","kind":"x"}', '{"csrf_token":"<secret>","kind":"x"}'],
    ['{"pk":3776832898280228145,"n":12}', '{"pk":<data>,"n":12}'],
    ['{"at":1764453631}', '{"at":<digits>}'],
    ["eyJ2ZXJzaW9uIjo1LCJwYXlsb2FkIjp7ImlzX2Fu", "<data>"],
    ["write to some.one@mail.example now", "write to <address> now"],
    ['{"edge_media_to_parent_comment":null}', '{"edge_media_to_parent_comment":null}'],
    ["<title>Log  in\n\n please</title>", "<title>Log in please</title>"],
  ])("scrubs %s", (text, scrubbed) => {
    expect(excerptOf(text)).toBe(scrubbed);
  });

  it("is bounded, and shows nothing of what its bound has cut", () => {
    expect(excerptOf("word ".repeat(10_000))).toHaveLength(200);
    const cut = `${" ".repeat(1995)}https://cdn.example/`;
    expect(excerptOf(cut)).toBe("");
  });

  it("holds no address and no long number, whatever came", () => {
    const pieces = fc.constantFrom("https://", "a.example/", "1234567", " ", '"', "\\/", "@", "x");
    const property = fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const excerpt = excerptOf(parts.join(""));
      expect(excerpt).not.toMatch(/:\/\/|\d{6}/);
      expect(excerpt.length).toBeLessThanOrEqual(200);
    });
    fc.assert(property);
  });
});

it("names the field without the ids in its path", () => {
  const { failure } = drifted("why", "reels.highlight:17893209825281221.items", "{}");
  expect(failure).toEqual({
    kind: "drifted",
    cause: "why",
    drift: { field: "reels.highlight:<data>", excerpt: "{}" },
  });
});
