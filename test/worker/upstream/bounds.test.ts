import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../src/upstream/addresses.ts";
import { decodeEntities } from "../../../src/upstream/entities.ts";
import { objectNamed } from "../../../src/upstream/json-part.ts";
import { roomFor } from "../../../src/upstream/markup-text.ts";
import { amount, isPlain } from "../../../src/upstream/renditions.ts";

/** What is longer than anything that goes out is not worked on. */

describe("an address", () => {
  const address = (length: number) => "https://a.example/".padEnd(length, "x");

  it("is parsed up to the length that goes out", () => {
    expect(parseAddress(address(4_096))?.href).toBe(address(4_096));
    expect(parseAddress(address(4_097))).toBeNull();
  });

  it("is none without a text", () => {
    expect([parseAddress(""), parseAddress(null), parseAddress(undefined)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("is looked at for its codec up to that length", () => {
    expect(isPlain(`${address(4_000)}/hevc/a`)).toBe(false);
    expect(isPlain(`${address(5_000)}/hevc/a`)).toBe(true);
  });
});

describe("a text with references", () => {
  it("is decoded whole if it is as long as a caption of nothing else", () => {
    expect(decodeEntities("&#x2019;".repeat(10_000))).toBe("\u2019".repeat(10_000));
  });

  it("is decoded from its first word on, and only as far as may go out", () => {
    const decoded = decodeEntities(`${" ".repeat(1_000_000)}word${"&amp;".repeat(200_000)}`);
    expect(decoded.startsWith("word&&&")).toBe(true);
    expect(decoded.length).toBeLessThan(25_000);
  });

  it("is collected only as far as may go out", () => {
    expect(roomFor("abc", "x".repeat(99_998))).toBe("ab");
    expect(roomFor("abc", "x".repeat(100_001))).toBe("");
  });
});

it("a number that only ranks is one of reasonable length", () => {
  expect(amount.parse("1080")).toBe(1_080);
  expect(amount.parse(`1${"0".repeat(60)}`)).toBe(0);
});

it("an object in a text is not looked for beyond the longest one", () => {
  const own = (length: number) => `{"a":"${"x".repeat(length)}"}`;
  expect(objectNamed(`{"own":${own(300_000)}}`, "own")).toBe(own(300_000));
  expect(objectNamed(`{"own":${own(500_000)}}`, "own")).toBeNull();
});
