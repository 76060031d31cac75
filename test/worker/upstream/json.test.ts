import { describe, expect, it } from "vitest";
import * as z from "zod";
import { parseExactJson } from "../../../src/upstream/exact-json.ts";
import {
  JSON_ESCAPES_MAX,
  JSON_VALUES_MAX,
  readJson,
  readShape,
} from "../../../src/upstream/json.ts";

const schema = z.object({
  owner: z.object({ name: z.string() }),
  items: z.array(z.union([z.object({ url: z.string() }), z.object({ id: z.number() })])),
});

const drift = (body: string) => {
  const read = readJson(body, schema);
  return !read.ok && read.failure.kind === "drifted" ? read.failure.drift : null;
};

describe("readJson", () => {
  it("reads what has the shape", () => {
    const body = '{"owner":{"name":"a","x":1},"items":[{"url":"b"}]}';
    expect(readJson(body, schema)).toEqual({
      ok: true,
      value: { owner: { name: "a" }, items: [{ url: "b" }] },
    });
  });

  it.each([
    ["a field of another kind", '{"a":1,"owner":{"name":7}}', "owner.name", '"name":7}}'],
    ["a field that is missing", '{"a":1,"owner":{"x":7}}', "owner.name", '"owner":{"x":7}}'],
    [
      "an alternative's field",
      '{"owner":{"name":"a"},"items":[{}]}',
      "items.0.url",
      '"items":[{}]}',
    ],
    ["no JSON", "<html>  Log in", "body", "<html> Log in"],
    ["nothing", "", "body", ""],
    ["another kind of value", "[]", "body", "[]"],
  ])("says where the reply differs: %s", (_, body, field, excerpt) => {
    expect(drift(body)).toEqual({ field, excerpt });
  });
});

it("does not even parse a text of more values than any reply has", () => {
  const body = `[${"{},".repeat(JSON_VALUES_MAX)}{}]`;
  let parsed = 0;
  const read = readJson(body, z.array(z.unknown()), (text) => {
    parsed++;
    return JSON.parse(text);
  });
  expect(read).toMatchObject({ ok: false, failure: { kind: "drifted" } });
  expect(parsed).toBe(0);
  expect(readJson(`["${"a".repeat(body.length)}"]`, z.array(z.string())).ok).toBe(true);
});

it("does not parse a text of more escapes than any reply has, and parses one of as many", () => {
  const escaped = (count: number) => JSON.stringify("\n".repeat(count));
  expect(readJson(escaped(JSON_ESCAPES_MAX), z.string()).ok).toBe(true);
  expect(readJson(escaped(JSON_ESCAPES_MAX + 1), z.string())).toMatchObject({
    ok: false,
    failure: { kind: "drifted" },
  });
});

it("readShape says it of a value as well", () => {
  expect(readShape({ owner: { name: 7 } }, schema)).toMatchObject({
    failure: { drift: { field: "owner.name", excerpt: '"name":7}}' } },
  });
  expect(readShape(undefined, schema)).toMatchObject({ failure: { drift: { excerpt: "" } } });
});

describe("parseExactJson", () => {
  it("keeps the digits of integers that a double cannot hold, and only of those", () => {
    const text =
      '{"pk":3776832898280228145,"n":-9007199254740993,"small":12,"float":1.5,"big":1e300,"s":"12345678901234567890, x"}';
    expect(parseExactJson(text)).toEqual({
      pk: "3776832898280228145",
      n: "-9007199254740993",
      small: 12,
      float: 1.5,
      big: 1e300,
      s: "12345678901234567890, x",
    });
  });

  it("takes nesting beyond reason for no JSON", () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    expect(readJson(deep, schema, parseExactJson)).toMatchObject({
      failure: { kind: "drifted" },
    });
  });
});
