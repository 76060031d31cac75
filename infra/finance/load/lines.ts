import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

/** Is given each line of a file, counted from 1. Returns true to read no further. */
type Look = (line: string, number: number) => boolean;

/** How far a file could be read: to its end or to where the look ended, or to where it is damaged. */
export interface Reading {
  readonly lines: number;
  readonly isWhole: boolean;
}

/** More than any item: DynamoDB stores at most 400 KB. What is longer is not kept. */
const LINE_CHARACTERS_MAX = 8 << 20;

class Enough extends Error {}

/** Reads the lines of a compressed file, one after the other. */
export async function readLines(path: string, look: Look): Promise<Reading> {
  let lines = 0;
  let rest = "";
  const take = (line: string) => {
    lines += 1;
    if (look(line, lines)) throw new Enough();
  };
  try {
    await pipeline(
      createReadStream(path),
      createGunzip().setEncoding("utf8"),
      async (source: AsyncIterable<unknown>) => {
        for await (const chunk of source) {
          const parts = (rest + String(chunk)).split("\n");
          rest = (parts.pop() ?? "").slice(0, LINE_CHARACTERS_MAX);
          for (const line of parts) take(line);
        }
        if (rest !== "") take(rest);
      },
    );
    return { lines, isWhole: true };
  } catch (error) {
    return { lines, isWhole: error instanceof Enough };
  }
}
