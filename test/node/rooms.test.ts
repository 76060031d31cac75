import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { byRoom, findCycle, readImports, toDepth } from "./rooms.ts";

const ROOTS = ["src", "infra", "test"];
const ROOMS_MAX = 15;
const DEEPEST = 5;
const imports = await readImports(ROOTS);

/** The files at the top of `src` are rooms of their own: the entry, the assembly, the path. */
function folderOf(file: string): string {
  const folder = posix.dirname(file);
  return folder === "src" ? file : folder;
}

describe("a cycle", () => {
  const graph = (edges: Record<string, string[]>) =>
    new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));

  it("is found and named", () => {
    expect(findCycle(graph({ a: ["b"], b: ["c", "d"], c: [], d: ["b"] }))).toEqual(["b", "d", "b"]);
    expect(findCycle(graph({ a: ["b", "c"], b: ["c"], c: [] }))).toBeNull();
  });

  it("is seen between folders whose files have none", () => {
    const files = graph({ "x/a.ts": ["y/b.ts"], "y/b.ts": [], "y/c.ts": ["x/d.ts"], "x/d.ts": [] });
    expect(findCycle(files)).toBeNull();
    expect(findCycle(byRoom(files, folderOf))).toEqual(["x", "y", "x"]);
  });
});

describe("imports", () => {
  it("are read from every file", () => {
    expect(imports.size).toBeGreaterThan(250);
    expect(imports.get("src/index.ts")).toContain("src/assemble.ts");
  });

  it("make no cycle of files", () => {
    expect(findCycle(imports)).toBeNull();
  });

  it("make no cycle of folders", () => {
    expect(findCycle(byRoom(imports, folderOf))).toBeNull();
  });

  it.each(Array.from({ length: DEEPEST }, (_, at) => at + 1))(
    "make no cycle between what stands at level %i, all below it included",
    (depth) => {
      expect(findCycle(byRoom(imports, toDepth(depth)))).toBeNull();
    },
  );
});

describe("the layout", () => {
  const children = async (folder: string) => readdir(folder, { withFileTypes: true });
  const foldersIn = async (folder: string) =>
    (await children(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => name);

  it("has three files and at most 15 rooms in src", async () => {
    const files = (await children("src")).filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name).sort()).toEqual(["assemble.ts", "index.ts", "resolve.ts"]);
    expect((await foldersIn("src")).length).toBeLessThanOrEqual(ROOMS_MAX);
  });

  it("is the one that the README shows", async () => {
    const readme = await readFile("README.md", "utf8");
    const rows = [...readme.matchAll(/^\| `((?:src|infra|test)\/[\w./-]*)` +\|/gm)];
    const shown = rows.map(([, path = ""]) => path.replace(/\/$/, ""));
    expect(shown.filter((path) => !existsSync(path))).toEqual([]);
    for (const root of ROOTS) {
      const rooms = (await foldersIn(root)).map((name) => `${root}/${name}`);
      expect(rooms.filter((room) => !shown.includes(room))).toEqual([]);
    }
  });
});
