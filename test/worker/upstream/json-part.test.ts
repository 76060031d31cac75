import { expect, it } from "vitest";
import { objectNamed } from "../../../src/upstream/json-part.ts";

it.each([
  ["plain", '{"a":1,"own":{"b":{"c":[{}]}},"d":{}}', '{"b":{"c":[{}]}}'],
  ["with blanks", '{ "own" \n : { "b" : 1 } }', '{ "b" : 1 }'],
  ["empty", '{"own":{}}', "{}"],
  ["with braces and quotes in strings", '{"own":{"b":"}\\"}\\\\"},"c":1}', '{"b":"}\\"}\\\\"}'],
  ["named in a string before", '{"t":"\\"own\\":{1}","own":{"b":1}}', '{"b":1}'],
])("finds an object that is %s", (_, json, part) => expect(objectNamed(json, "own")).toBe(part));

it.each([
  ["is not there", '{"a":{}}'],
  ["is no object", '{"own":null,"a":{}}'],
  ["is cut", '{"own":{"b":{}'],
  ["is cut in a string", '{"own":{"b":"}'],
  ["is cut behind a backslash", '{"own":{"b":"\\'],
])("finds nothing where the object %s", (_, json) => expect(objectNamed(json, "own")).toBeNull());
