import { access, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import { SUMMARY_FILE } from "../export/layout.ts";

/** An export lies at most this deep: `<prefix>/…/AWSDynamoDB/<export id>`. */
const DEPTH_MAX = 6;

/** The folders with the manifests of an export, in and below the given ones. Each once. */
export async function findExports(folders: readonly string[]): Promise<Answer<string[]>> {
  const found = new Set<string>();
  for (const folder of folders) {
    const here = await search(folder, DEPTH_MAX).catch(() => null);
    if (here === null) return problem(`${folder}: there is no such folder, or it cannot be read.`);
    for (const path of here) found.add(await realpath(path));
    if (here.length === 0) {
      return problem(
        `${folder}: no ${SUMMARY_FILE} in or below it. Name the folder into which the export was ` +
          "copied, the one that holds AWSDynamoDB. An export that has no manifest is not finished.",
      );
    }
  }
  return answer([...found].sort());
}

async function search(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (await exists(join(folder, SUMMARY_FILE))) return [folder];
  if (depth === 0) return [];
  const below = entries.filter((entry) => entry.isDirectory() && entry.name !== "data");
  const found = await Promise.all(below.map(({ name }) => search(join(folder, name), depth - 1)));
  return found.flat();
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
