import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { dependencies, devDependencies, toolVersions } from "./manifest.ts";

const entry = z.object({
  version: z.string().optional(),
  resolved: z.string().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
const lockSchema = z.object({ packages: z.record(z.string(), entry) });

describe("the toolchain", () => {
  it("runs the scripts on Node 24, whatever the machine has", () => {
    expect(process.version).toMatch(/^v24\./);
  });

  it("pins exact versions", () => {
    const versions = Object.entries({ ...dependencies, ...devDependencies, ...toolVersions });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual(
      [],
    );
  });

  it.each(["package-lock.json", "test/tools/package-lock.json"])(
    "locks the builds of every platform, and no registry's address, in %s",
    async (file) => {
      const lock = lockSchema.parse(JSON.parse(await readFile(file, "utf8")));
      const packages = Object.entries(lock.packages);
      const names = new Set(packages.map(([path]) => path.replace(/^.*node_modules\//, "")));
      const missing = packages.flatMap(([path, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies)
          .filter((name) => !names.has(name))
          .map((name) => `${name} of ${path}`),
      );
      expect(missing).toEqual([]);
      expect(packages.filter(([, { resolved }]) => resolved?.startsWith("http"))).toEqual([]);
    },
  );
});
