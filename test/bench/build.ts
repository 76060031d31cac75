import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WRANGLER = fileURLToPath(import.meta.resolve("wrangler/package.json")).replace(
  /package\.json$/,
  "bin/wrangler.js",
);

/** A worker as one module. */
export interface Bundle {
  readonly path: string;
  readonly gzipBytes: number;
}

/**
 * Builds a worker as `wrangler deploy` does, with `wrangler.toml`.
 * @param entry path from the repository's root; the service itself by default
 * @param readable keeps names, and the comments that name each module's file
 */
export async function build(entry?: string, { readable = false } = {}): Promise<Bundle> {
  const name = (entry ?? "src/index.ts").replace(/^.*\/|\.ts$/g, "");
  const outdir = join(ROOT, ".local/bench", readable ? `${name}-readable` : name);
  const script = entry === undefined ? [] : [entry];
  const args = ["deploy", ...script, "--dry-run", "--outdir", outdir];
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false" };
  const minify = readable ? ["--no-minify"] : ["--minify"];
  await promisify(execFile)(process.execPath, [WRANGLER, ...args, ...minify], { cwd: ROOT, env });
  const path = join(outdir, `${name}.js`);
  return { path, gzipBytes: gzipSync(await readFile(path)).byteLength };
}
