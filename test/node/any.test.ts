import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { findAny } from "./any.ts";

const PLANTED = `
const parsed = JSON.parse("{}");
export const size: number = JSON.parse("1");
export const one = parsed.one;
export const call = (work: (name: string) => void) => work(JSON.parse("1"));
export const names = (some: object) => Object.entries(some).map(([name, value]) => name + value);
`;

const SOUND = `
const parsed: unknown = JSON.parse("{}");
export const isObject = typeof parsed === "object";
export const text = JSON.stringify(JSON.parse("{}"));
`;

async function findIn(text: string) {
  const folder = await mkdtemp(join(tmpdir(), "any-"));
  try {
    const compilerOptions = { strict: true, target: "es2024", types: [] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    await writeFile(join(folder, "planted.ts"), text);
    const found = findAny(join(folder, "tsconfig.json"), (path) => path.startsWith(folder));
    return found.map((place) => place.replace(/^.*planted\.ts:/, ""));
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("no value's type is any", () => {
  it("finds an any that is named, read from or handed on", async () => {
    expect(await findIn(PLANTED)).toEqual([
      "2: parsed",
      '3: JSON.parse("1")',
      "4: one",
      "4: parsed",
      '5: JSON.parse("1")',
      "6: value",
    ]);
  });

  it("lets an any pass where unknown is expected", async () => {
    expect(await findIn(SOUND)).toEqual([]);
  });

  it.each(["tsconfig.json", "infra/tsconfig.json", "test/tsconfig.json"])(
    "holds for every file of %s",
    (config) => {
      const folders = ["src", "infra", "test"].map((folder) => `${resolve(folder)}/`);
      const isOwn = (path: string) => folders.some((folder) => path.startsWith(folder));
      expect(findAny(resolve(config), isOwn)).toEqual([]);
    },
  );
});
