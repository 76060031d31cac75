import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorSchema, SERVICES } from "../../../src/contract/schemas.ts";
import { findSyntaxError } from "../../../src/http/json-syntax.ts";
import { startService } from "../../support/service.ts";

const VALID = { service: "microblog", url: "https://x.com/someone/status/1", max_results: 1 };

async function refusalOf(body: unknown) {
  const { resolve, logs } = await startService();
  const response = await resolve(body);
  const { code, message } = errorSchema.parse(await response.json());
  return { status: response.status, code, message, log: JSON.stringify(logs) };
}

describe("a service that is not known", () => {
  it.each(["video-hub", "MICROBLOG", ""])("is told all that are: %j", async (service) => {
    expect(await refusalOf({ ...VALID, service })).toMatchObject({
      status: 400,
      code: "SERVICE_UNSUPPORTED",
      message: `service: must be one of ${SERVICES.join(", ")}`,
    });
  });
});

describe("a field that is not known", () => {
  const without = (field: keyof typeof VALID) => {
    const { [field]: _, ...rest } = VALID;
    return rest;
  };

  it.each([
    ["maxResults", "max_results"],
    ["MAX-RESULTS", "max_results"],
    ["max results", "max_results"],
    ["max_result", "max_results"],
    ["results", "max_results"],
    ["URL", "url"],
    ["uri", "url"],
    ["Service", "service"],
    ["sevrice", "service"],
  ] as const)("and is nearly right gets the right name: %s", async (name, field) => {
    const message = `body: has the unknown field "${name}"; did you mean ${field}?`;
    expect(await refusalOf({ ...without(field), [name]: VALID[field] })).toMatchObject({ message });
    expect(await refusalOf({ ...VALID, [name]: 1 })).toMatchObject({ message });
  });

  it.each(["limit", "id", "u", "", "link", "maximum", "callback_url", "services_of_the_account"])(
    "and is like none gets no advice: %j",
    async (name) => {
      const { message } = await refusalOf({ ...VALID, [name]: 1 });
      expect(message).toBe(`body: has the unknown field "${name}"`);
    },
  );

  it("is told with 64 characters at most, and never logged", async () => {
    const name = `hunter2${"s".repeat(10_000)}`;
    const { message, log } = await refusalOf({ ...VALID, [name]: 1 });
    expect(message).toBe(`body: has the unknown field "${name.slice(0, 64)}"`);
    expect(log).not.toContain("hunter2");
    expect((await refusalOf({ ...VALID, maxResults: 1 })).log).not.toContain("maxResults");
  });

  it("among thousands costs no more than one", async () => {
    const names = Array.from({ length: 1_500 }, (_, at) => [`f${at}`, 1]);
    const { message } = await refusalOf({ ...Object.fromEntries(names), ...VALID });
    expect(message).toBe('body: has the unknown field "f0"');
  });
});

describe("a body that is no JSON", () => {
  it.each([
    ["a value without quotes", '{"service": microblog}', "it is not, at line 1, column 13"],
    ["a word of another language", '{"a":None}', "it is not, at line 1, column 6"],
    ["single quotes", "{'service':'microblog'}", "it is not, at line 1, column 2"],
    ["a comma too many", '{\n  "a": 1,\n}', "it is not, at line 3, column 1"],
    ["a missing comma", '{"a":1 "b":2}', "it is not, at line 1, column 8"],
    ["a missing colon", '{"a" 1}', "it is not, at line 1, column 6"],
    ["a line break in a string", '{"a":"x\ny"}', "it is not, at line 1, column 6"],
    ["a false escape", '["\\x"]', "it is not, at line 1, column 2"],
    ["a wrong bracket", '{"a":[1}', "it is not, at line 1, column 8"],
    ["something behind it", '{"a":1}\r\n{}', "it is not, at line 2, column 1"],
    ["a zero in front", "[01]", "it is not, at line 1, column 3"],
    ["another text", "hunter2", "it is not, at line 1, column 1"],
    ["an object that is cut", '{"a":1', "it ends too early, at line 1, column 7"],
    ["a string that is cut", '{"a":"x', "it is not, at line 1, column 6"],
    ["white space alone", " \n ", "it ends too early, at line 2, column 2"],
    ["brackets alone", "[".repeat(9_000), "it ends too early, at line 1, column 9001"],
  ])("gets the place of %s", async (_, body, where) => {
    expect(await refusalOf(body)).toMatchObject({
      status: 400,
      code: "URL_INVALID",
      message: `body: must be valid JSON; ${where}`,
    });
  });

  it("is quoted neither to the client nor in the log", async () => {
    const { message, log } = await refusalOf('{"password": hunter2, "at position 7": 1}');
    expect(message + log).not.toMatch(/hunter2|password|position/);
    expect(log).toContain('"cause":"body: must be valid JSON"');
  });
});

describe("the place of an error in JSON", () => {
  const parses = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const PIECES = [
    ...'{}[],:"\\ \n-+.0179eEutf{}[],:',
    "true",
    "null",
    '"a"',
    '\\"',
    "\\u00e9",
    "é",
  ];

  it("is there for every text that does not parse, and for no other", () => {
    const json = fc.json({ maxDepth: 3 });
    const damaged = fc
      .tuple(json, fc.nat(), fc.nat({ max: 2 }), fc.constantFrom("", ...PIECES))
      .map(([text, seed, cut, piece]) => {
        const at = seed % (text.length + 1);
        return text.slice(0, at) + piece + text.slice(at + cut);
      });
    const soup = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 });
    const texts = fc.oneof(
      json,
      damaged,
      soup.map((pieces) => pieces.join("")),
      fc.string(),
    );
    const check = (text: string) => (findSyntaxError(text) === null) === parses(text);
    fc.assert(fc.property(texts, check), { numRuns: 20_000, seed: 1 });
  });

  it("stands behind nothing that another end could save", () => {
    const json = fc.json({ maxDepth: 3 }).filter((text) => text.length > 1);
    const check = (text: string, seed: number) => {
      const at = 1 + (seed % (text.length - 1));
      const place = findSyntaxError(`${text.slice(0, at)}\u0007`);
      return place !== null && place.line === 1 && place.column <= at + 1;
    };
    fc.assert(fc.property(json, fc.nat(), check), { numRuns: 5_000, seed: 1 });
  });
});
