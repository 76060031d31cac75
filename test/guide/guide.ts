import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The page that says how to add a service. */
export const PAGE = "infra/decisions/0001-an-eighth-service.md";

/** One code block of the page: a new file, or lines to add to one. */
export interface Change {
  readonly kind: "file" | "edit";
  readonly path: string;
  readonly text: string;
}

/** The page's changes in their order: every code block whose fence names a file. */
export function readGuide(page: string): readonly Change[] {
  return [...page.matchAll(/^```(\w+) (\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, language, path = "", text = ""]): Change => {
      return { kind: language === "diff" ? "edit" : "file", path, text };
    },
  );
}

/**
 * Makes one change in a folder.
 * @throws Error when the lines that an edit shows are not there, or not only once
 */
export async function applyChange(folder: string, { kind, path, text }: Change): Promise<void> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  if (kind === "file") return writeFile(target, text);
  const before = await readFile(target, "utf8");
  const { shown, wanted } = readEdit(text);
  const found = `\n${before}`.split(`\n${shown}`).length - 1;
  if (found !== 1) throw new Error(`${path} has these lines ${found} times:\n${shown}`);
  await writeFile(target, `\n${before}`.replace(`\n${shown}`, () => `\n${wanted}`).slice(1));
}

/** The lines that an edit shows of the file, and the lines that it wants in their place. */
function readEdit(text: string): { readonly shown: string; readonly wanted: string } {
  const lines = text.split("\n").slice(0, -1);
  const side = (marks: string) =>
    lines
      .filter((line) => marks.includes(line[0] ?? ""))
      .map((line) => `${line.slice(1)}\n`)
      .join("");
  return { shown: side(" -"), wanted: side(" +") };
}
