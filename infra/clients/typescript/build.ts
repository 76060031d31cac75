import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const FOLDER = import.meta.dirname;
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const TSC = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")));
const DIST = join(FOLDER, "dist");

/** Every runtime that the package is for can run it: Node 20 is the oldest. */
const TARGET = "es2022";

/** Builds `dist/`: two modules without dependencies, and the types. */
async function main(): Promise<void> {
  await rm(DIST, { recursive: true, force: true });
  await Promise.all([bundle("index"), bundle("mcp"), declare()]);
}

async function bundle(name: "index" | "mcp"): Promise<void> {
  await build({
    entryPoints: [join(FOLDER, "src", name === "index" ? "index.ts" : "mcp/main.ts")],
    outfile: join(DIST, `${name}.js`),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: TARGET,
    external: ["node:*"],
    banner: name === "mcp" ? { js: "#!/usr/bin/env node" } : {},
  });
}

/** Writes the types that `index.d.ts` leads to. */
async function declare(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "public-media-client-"));
  try {
    const args = [TSC, "-p", FOLDER, "--outDir", folder];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    await copyTypes(join(folder, relative(ROOT, FOLDER), "src"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function copyTypes(from: string): Promise<void> {
  const names = new Set(["index.d.ts"]);
  for (const name of names) {
    const text = await readFile(join(from, name), "utf8");
    const imported = text.matchAll(/(?<=\bfrom ")(\.[^"]*)\.ts(?=")/g);
    for (const [, path = ""] of imported) names.add(`${join(dirname(name), path)}.d.ts`);
    const target = join(DIST, name);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text.replaceAll(/(?<=\bfrom "\.[^"]*)\.ts(?=")/g, ".js"));
  }
  const outside = [...names].find((name) => name.startsWith(".."));
  if (outside !== undefined) throw new Error(`The package's types lead outside it, to ${outside}.`);
}

await main();
