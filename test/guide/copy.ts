import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyChange, type Change, PAGE, readGuide } from "./guide.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PARTS = [
  ...["src", "test", "infra", "README.md"],
  ...["package.json", "tsconfig.json", "wrangler.toml", ".biome.jsonc"],
];

export async function readChanges(): Promise<readonly Change[]> {
  return readGuide(await readFile(join(ROOT, PAGE), "utf8"));
}

/** Makes the changes in a copy of the repository, and hands it over until the work is done. */
export async function inCopy<T>(
  changes: readonly Change[],
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "guide-"));
  try {
    // What a package manager installed in a folder of its own is not copied.
    const filter = (path: string) => basename(path) !== "node_modules";
    for (const part of PARTS)
      await cp(join(ROOT, part), join(folder, part), { recursive: true, filter });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    for (const change of changes) await applyChange(folder, change);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
