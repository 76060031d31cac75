import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { type Block, blocksOf } from "../node/blocks.ts";

const FOLDER = "infra/docs/guide";
const INDEX = `${FOLDER}/README.md`;
/** Every sample of the guide needs what this page has started and set. */
export const FIRST_CALL = `${FOLDER}/first-call.md`;

export interface Page {
  readonly path: string;
  readonly markdown: string;
  readonly blocks: readonly Block[];
}

/** Every page of the guide: in the order of the index, then those that only other pages link to. */
export async function readGuide(root = "."): Promise<readonly Page[]> {
  const files = await readdir(join(root, FOLDER), { recursive: true });
  const own = files.filter((file) => file.endsWith(".md")).map((file) => `${FOLDER}/${file}`);
  const index = await readFile(join(root, INDEX), "utf8");
  const linked = [...index.matchAll(/\]\(([^)#:]+\.md)\)/g)].map(([, link = ""]) =>
    posix.join(FOLDER, link),
  );
  const paths = new Set([INDEX, ...linked.filter((path) => own.includes(path)), ...own.sort()]);
  return Promise.all(
    [...paths].map(async (path) => {
      const markdown = await readFile(join(root, path), "utf8");
      return { path, markdown, blocks: blocksOf(path, markdown) };
    }),
  );
}
