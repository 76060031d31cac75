import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Block } from "../node/blocks.ts";
import { scripts } from "../node/pages.ts";
import { readGuide } from "./guide.ts";
import { LANGUAGES } from "./reader.ts";
import { type Guest, inviteToCopy } from "./workspace.ts";

/** Follows the guide page by page, in a copy of the repository, and executes every block of code. */

const BLOCK_WITHIN_MS = 120_000;
const pages = await readGuide();
const all = pages.flatMap(({ blocks }) => blocks);
/** Python need not be on the machine: `npm run test:first-call` executes it. */
const inPython = pythonBlocks(all);

/** The blocks in Python, and those that show what one of them has printed. */
function pythonBlocks(blocks: readonly Block[]): ReadonlySet<Block> {
  const found = new Set<Block>();
  for (const [at, block] of blocks.entries()) {
    const before = blocks[at - 1];
    const isOutput = block.language === "text" || block.language === "json";
    const follows = before?.page === block.page && before !== undefined && found.has(before);
    const isOwn = /\b(?:python3|pip)\b/.test(block.language === "sh" ? block.text : "");
    if (block.language === "python" || isOwn || (isOutput && follows)) found.add(block);
  }
  return found;
}

describe("the guide", () => {
  let guest: Guest;

  beforeAll(async () => {
    guest = await inviteToCopy();
  });

  afterAll(() => guest.stop());

  it("has blocks of known languages only, and closes each of them", () => {
    expect(all.filter(({ language }) => !LANGUAGES.includes(language))).toEqual([]);
    for (const { path, markdown, blocks } of pages) {
      const fences = markdown.match(/^ *```/gm)?.length ?? 0;
      expect({ path, fences }).toEqual({ path, fences: 2 * blocks.length });
    }
    expect(all.length).toBeGreaterThan(30);
  });

  it("has its samples in Python executed by a command that CI runs", async () => {
    expect(inPython.size).toBeGreaterThan(1);
    expect(scripts["test:first-call"]).toBe("node test/pages/main.ts");
    expect(await readFile(".ci/run", "utf8")).toContain("\nnpm run test:first-call\n");
  });

  describe.each(pages.filter(({ blocks }) => blocks.length > 0))("$path", ({ blocks }) => {
    const own = blocks.filter((block) => !inPython.has(block));
    it.each(own)(
      "says what is so in its $language block of line $line",
      async (block) => {
        expect(await guest.follow(withoutInstall(block))).toBeNull();
      },
      BLOCK_WITHIN_MS,
    );
  });
});

/** The copy has what `npm ci` would install. */
function withoutInstall(block: Block): Block {
  return { ...block, text: block.text.replace(/^npm ci$/m, "true") };
}
