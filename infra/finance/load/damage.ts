import * as z from "zod";
import type { LocalFile } from "../read/manifest.ts";
import { readLines } from "./lines.ts";

/** An item of an export as far as it can be judged: attributes with one type each. */
const itemSchema = z.record(z.string(), z.unknown());
const lineSchema = z.union([
  z.object({ Item: itemSchema }),
  z.object({ NewImage: itemSchema }),
  z.object({ OldImage: itemSchema }),
]);
type Line = z.infer<typeof lineSchema>;

/** Where a file was damaged, in words for people: file, line, and what is wrong. Null if it is whole. */
export async function findDamage(files: readonly LocalFile[]): Promise<string | null> {
  for (const { path, sizeBytes } of files) {
    const damage = sizeBytes === 0 ? null : await damageIn(path);
    if (damage !== null) return damage;
  }
  return null;
}

async function damageIn(path: string): Promise<string | null> {
  let bad: { line: number; what: string } | null = null;
  const { lines, isWhole } = await readLines(path, (text, line) => {
    const what = lackOf(text);
    if (what !== null) bad = { line, what };
    return what !== null;
  });
  if (bad !== null) return describe(path, bad);
  return isWhole
    ? null
    : `${path}, after line ${lines}: the file breaks off or was overwritten there`;
}

function describe(path: string, { line, what }: { line: number; what: string }): string {
  return `${path}, line ${line}: ${what}`;
}

function lackOf(text: string): string | null {
  const parsed = parse(text);
  if (parsed === undefined) return "the entry is not whole: it breaks off or was overwritten";
  const line = lineSchema.safeParse(parsed);
  if (!line.success) return "the line holds no item of the table";
  const odd = Object.entries(itemOf(line.data)).find(([, value]) => !isAttribute(value));
  return odd === undefined ? null : `the entry's ${odd[0]} has not the form of an export`;
}

/** Exports write a type with each value; some leave it out of numbers. */
function isAttribute(value: unknown): boolean {
  return (typeof value === "object" && value !== null) || !Number.isNaN(Number(value));
}

function itemOf(line: Line) {
  if ("Item" in line) return line.Item;
  return "NewImage" in line ? line.NewImage : line.OldImage;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The keys of an item: null where the export has none that can be one. */
export interface Keys {
  readonly first: string | null;
  readonly second: string | null;
}

const textSchema = z.object({ S: z.string() });

/** The line of the item with these keys. Null if none is found. */
export async function lineOf(
  path: string,
  [first, second]: readonly [string, string | null],
  keys: Keys,
): Promise<number | null> {
  let found: number | null = null;
  await readLines(path, (text, line) => {
    const parsed = lineSchema.safeParse(parse(text));
    if (!parsed.success) return false;
    const item = itemOf(parsed.data);
    const isIt =
      textOf(item[first]) === keys.first &&
      (second === null || isSame(textOf(item[second]), keys.second));
    if (isIt) found = line;
    return isIt;
  });
  return found;
}

function textOf(value: unknown): string | null {
  return textSchema.safeParse(value).data?.S ?? null;
}

/** An id that is no UUID was read as null. */
function isSame(text: string | null, key: string | null): boolean {
  if (key === null) return text === null || !z.guid().safeParse(text).success;
  return text?.toLowerCase() === key.toLowerCase();
}
