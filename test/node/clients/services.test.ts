import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  describeOutput,
  describeServices,
  OUTPUT_SCHEMA_FILE,
  SERVICES_FILE,
} from "../../../infra/clients/services.ts";

const written = await readFile(SERVICES_FILE, "utf8");

const patternsSchema = z.object({ hosts: z.string(), paths: z.array(z.string()) });
const { services } = z
  .object({
    services: z.array(
      z.object({
        places: z.array(patternsSchema),
        share_links: z.array(patternsSchema),
        download: z.object({ expiry: z.array(z.object({ pattern: z.string() })) }),
      }),
    ),
  })
  .parse(JSON.parse(written));

const places = services.flatMap(({ places, share_links }) => [...places, ...share_links]);
const whole = places.flatMap(({ hosts, paths }) => [hosts, ...paths]);

describe("infra/clients/services.json", () => {
  it("says what the resolvers say; `npm run clients:data` writes it", () => {
    expect(written).toBe(describeServices());
  });

  it("has patterns that match a whole text, and that other languages read in the same way", () => {
    const parts = services.flatMap(({ download }) => download.expiry.map(({ pattern }) => pattern));
    expect(whole.length).toBeGreaterThan(20);
    expect(parts.length).toBeGreaterThan(2);
    for (const pattern of whole) expect(pattern).toMatch(/^\^.*\$$/);
    for (const pattern of [...whole, ...parts]) {
      // Printable ASCII; no class or group that Python does not have.
      expect(pattern).toMatch(/^[\x21-\x7e]+$/);
      expect(pattern).not.toMatch(/\\[pPuxckK]|\(\?<[=!]|\[\^?\]|\[[^\]]*\[/);
    }
  });
});

it("the tool of the MCP server answers what the contract says; `npm run clients:data` writes it", async () => {
  expect(await readFile(OUTPUT_SCHEMA_FILE, "utf8")).toBe(describeOutput());
});
