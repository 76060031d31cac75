/** One fenced code block of a page. */
export interface Block {
  /** Path of the page, from the repository's root. */
  readonly page: string;
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The file that the sentence before names for it, such as `my-app/first.ts`; null without one. */
  readonly file: string | null;
}

/** Every fenced code block of a page, in order; also one without a language. */
export function blocksOf(page: string, markdown: string): Block[] {
  const found = markdown.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^ *```$/gm);
  return [...found].map(({ index, 1: indent = "", 2: language = "", 3: body = "" }) => {
    const before = markdown.slice(0, index);
    const lines = body.split("\n").map((line) => line.replace(indent, ""));
    return {
      page,
      line: before.split("\n").length,
      language: language.trim(),
      text: lines.join("\n").trimEnd(),
      file: fileNamedBefore(before),
    };
  });
}

/** The last paragraph before a block may say "Save this as `my-app/first.ts`:". */
function fileNamedBefore(before: string): string | null {
  const paragraph = before.trimEnd().split("\n\n").at(-1) ?? "";
  return /\bas `([\w/-]+\.\w+)`[^`]*:$/.exec(paragraph)?.[1] ?? null;
}
