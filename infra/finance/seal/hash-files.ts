import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { FILES_FILE, SUMMARY_FILE } from "../export/layout.ts";
import { exists } from "../read/find.ts";
import type { AnyExport } from "../read/manifest.ts";
import { SEAL_FILE, type SealedFile } from "./seal.ts";

const READ_BYTES = 1 << 20;

/** Size and SHA-256 of a file, under a name. */
export async function hashFile(path: string, name: string): Promise<SealedFile> {
  const sha256 = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: READ_BYTES }), sha256);
  return { name, bytes: (await stat(path)).size, sha256: sha256.digest("hex") };
}

/** The manifests and data files of exports. The name is the export's ARN and the file's. */
export async function hashInputs(exports: readonly AnyExport[]): Promise<SealedFile[]> {
  const hashed: SealedFile[] = [];
  for (const { arn, folder, files } of exports) {
    const manifests = [SUMMARY_FILE, FILES_FILE].map((name) => join(folder, name));
    for (const path of [...manifests, ...files.map((file) => file.path)]) {
      hashed.push(await hashFile(path, `${arn}/${path.slice(path.lastIndexOf("/") + 1)}`));
    }
  }
  return hashed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Where the customers' statements lie among the results. */
const STATEMENTS = "statements";

/** The files of a folder and its statements, without its seal and what lies in other folders below. */
export async function hashOutputs(folder: string): Promise<SealedFile[]> {
  const names = (await filesIn(folder)).filter((name) => name !== SEAL_FILE);
  const below = (await exists(join(folder, STATEMENTS)))
    ? (await filesIn(join(folder, STATEMENTS))).map((name) => `${STATEMENTS}/${name}`)
    : [];
  const hashed: SealedFile[] = [];
  for (const name of [...names, ...below]) hashed.push(await hashFile(join(folder, name), name));
  return hashed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
