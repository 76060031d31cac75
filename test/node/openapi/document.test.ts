import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { loadSamples } from "../../../infra/local/sample-gateway.ts";
import { SAMPLES_FOLDER } from "../../../infra/local/stack.ts";
import { examplesOf, REQUESTS, SUCCESSES } from "../../../infra/openapi/examples.ts";
import { PATH, render } from "../../../infra/openapi/file.ts";
import { ERRORS } from "../../../src/contract/errors.ts";
import {
  errorSchema,
  mediaItemSchema,
  mediaMetadataSchema,
  resolveRequestSchema,
  resolveResponseSchema,
  SERVICES,
  URL_LIMIT_CHARACTERS,
} from "../../../src/contract/schemas.ts";
import { formatApiKey } from "../../../src/keys/api-key.ts";
import { RESPONSES, validatorNamed } from "../../contract/document.ts";
import { blocks } from "../pages.ts";

const text = await readFile(PATH, "utf8");
const documentSchema = z.object({
  components: z.object({
    schemas: z.record(
      z.string(),
      z.object({ properties: z.optional(z.record(z.string(), z.record(z.string(), z.unknown()))) }),
    ),
    securitySchemes: z.object({ apiKey: z.object({ bearerFormat: z.string() }) }),
  }),
});
const { components } = z.parse(documentSchema, JSON.parse(text));

describe("the document", () => {
  it("is the one that the code makes; npm run openapi writes it anew", () => {
    expect(text).toBe(render());
  });

  it("has every status of the catalogue, and 200", () => {
    const statuses = new Set(["200", ...Object.values(ERRORS).map(({ status }) => String(status))]);
    expect(new Set(RESPONSES.keys())).toEqual(statuses);
  });

  it("allows a code with its own status only", () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      const body = { error: true, code, message: "m", request_id: crypto.randomUUID() };
      const others = [...RESPONSES].filter(([, response]) => response.body.validate(body).valid);
      expect([code, ...others.map(([one]) => one)]).toEqual([code, String(status)]);
    }
  });

  it("shows the form of a key", () => {
    const { bearerFormat } = components.securitySchemes.apiKey;
    expect(formatApiKey(new Uint8Array(32))).toMatch(new RegExp(`^${bearerFormat}$`));
  });

  it("shows the README's answer as its success", async () => {
    const [shown = ""] = blocks(await readFile("README.md", "utf8"), "json");
    const { request_id } = SUCCESSES.resolved.value;
    expect(SUCCESSES.resolved.value).toEqual({ ...JSON.parse(shown), request_id });
  });
});

describe("a named schema", () => {
  const objects: Readonly<Record<string, z.ZodMiniObject>> = {
    ResolveRequest: resolveRequestSchema,
    ResolveResponse: resolveResponseSchema,
    MediaItem: mediaItemSchema,
    MediaMetadata: mediaMetadataSchema,
    Error: errorSchema,
  };

  it("says of every field what it means", () => {
    for (const [name, schema] of Object.entries(objects)) {
      const { properties = {} } = components.schemas[name] ?? {};
      expect(Object.keys(properties)).toEqual(Object.keys(schema.shape));
      const silent = Object.entries(properties).filter(([, field]) => !("description" in field));
      expect(silent).toEqual([]);
    }
  });

  it("has a rule of its own where the code has one that JSON Schema cannot say", () => {
    const fields = Object.entries(objects).flatMap(([name, { shape }]) =>
      Object.entries(shape).flatMap(([field, schema]) =>
        hasOwnRule(schema) ? [`${name}.${field}`] : [],
      ),
    );
    expect(fields).toEqual(["ResolveRequest.url"]);
    expect(components.schemas["ResolveRequest"]?.properties?.["url"]).toMatchObject({
      maxLength: URL_LIMIT_CHARACTERS,
    });
  });
});

/** Whether a field is checked by a function, of which JSON Schema has nothing. */
function hasOwnRule(schema: z.core.$ZodType): boolean {
  return (schema._zod.def.checks ?? []).some(({ _zod }) => _zod.def.check === "custom");
}

describe("the schema of a request", () => {
  const validator = validatorNamed("ResolveRequest");
  const start = "https://x.com/a/status/";

  it.each([
    ["letters", "a"],
    ["characters of two UTF-16 units", "\u{1f3de}"],
  ])("counts a URL's %s as the service does", (_, filler) => {
    for (const characters of [URL_LIMIT_CHARACTERS, URL_LIMIT_CHARACTERS + 1]) {
      const url = start + filler.repeat(characters - start.length);
      const request = { service: "microblog", url };
      const tooLong = validator.validate(request).errors.map(({ keyword }) => keyword);
      expect(tooLong.includes("maxLength")).toBe(characters > URL_LIMIT_CHARACTERS);
      expect(resolveRequestSchema.safeParse(request).success).toBe(!tooLong.includes("maxLength"));
    }
  });

  it("accepts the bodies that the service's own schema accepts", () => {
    const service = fc.constantFrom<unknown>(...SERVICES, "video-hub", null, 1);
    const url = fc.constantFrom<unknown>("https://x.com/a/status/1", 1, null);
    const max_results = fc.constantFrom<unknown>(0, 1, 20, 21, 1.5, "4", null);
    const body = fc.oneof(
      fc.record({ service, url, max_results }, { requiredKeys: [] }),
      fc.record({ service, url, more: fc.constant(1) }),
      fc.constantFrom<unknown>([], null, "text"),
    );
    fc.assert(
      fc.property(body, (value) => {
        expect(validator.validate(value).valid).toBe(resolveRequestSchema.safeParse(value).success);
      }),
    );
  });

  it("accepts the document's examples", () => {
    for (const { value } of Object.values(REQUESTS)) {
      expect(validator.validate(value).errors).toEqual([]);
      expect(resolveRequestSchema.safeParse(value).success).toBe(true);
    }
  });

  it("has examples that npm run dev answers from its samples", async () => {
    const samples = await loadSamples(SAMPLES_FOLDER);
    const answered = samples.map(({ source_url }) => source_url);
    for (const { value } of Object.values(REQUESTS)) expect(answered).toContain(value.url);
  });
});

describe("the schema of a response", () => {
  it("accepts the document's examples", () => {
    for (const { value } of Object.values(SUCCESSES)) {
      expect(RESPONSES.get("200")?.body.validate(value).errors).toEqual([]);
    }
    const codes = Object.keys(ERRORS).filter((code): code is keyof typeof ERRORS => code in ERRORS);
    for (const code of codes) {
      const body = RESPONSES.get(String(ERRORS[code].status))?.body;
      for (const { value } of Object.values(examplesOf(code))) {
        expect(body?.validate(value).errors).toEqual([]);
      }
    }
  });
});
