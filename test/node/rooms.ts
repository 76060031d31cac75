import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";

/** What depends on what, by name. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The files of some folders and what each one imports; types count. */
export async function readImports(folders: readonly string[]): Promise<Graph> {
  const listed = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true })));
  const files = listed.flatMap((names, at) =>
    names
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
      .filter((name) => !name.split("/").includes("node_modules"))
      .map((name) => posix.join(folders[at] ?? "", name)),
  );
  const imports = files.map(async (file) => [file, await importsOf(file)] as const);
  return new Map(await Promise.all(imports));
}

async function importsOf(file: string): Promise<Set<string>> {
  const text = await readFile(file, "utf8");
  const relative = text.matchAll(/(?:\bfrom|\bimport\(|\bimport)\s*"(\.[^"]*\.ts)"/g);
  return new Set([...relative].map(([, path = ""]) => posix.join(posix.dirname(file), path)));
}

/** The graph in which every file stands for its room. Within a room anything may import anything. */
export function byRoom(imports: Graph, roomOf: (file: string) => string): Graph {
  const rooms = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const room = roomOf(file);
    const others = rooms.get(room) ?? new Set();
    for (const target of targets) if (roomOf(target) !== room) others.add(roomOf(target));
    rooms.set(room, others);
  }
  return rooms;
}

/** The first so many parts of a path; a shorter path is a room of its own. */
export function toDepth(depth: number): (file: string) => string {
  return (file) => file.split("/").slice(0, depth).join("/");
}

/** @returns the names along a cycle, the first one again at the end; null when there is none. */
export function findCycle(graph: Graph): string[] | null {
  const finished = new Set<string>();
  const walk = (name: string, path: readonly string[]): string[] | null => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (finished.has(name)) return null;
    for (const next of graph.get(name) ?? []) {
      const cycle = walk(next, [...path, name]);
      if (cycle !== null) return cycle;
    }
    finished.add(name);
    return null;
  };
  for (const name of graph.keys()) {
    const cycle = walk(name, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
