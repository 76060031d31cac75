import * as z from "zod/mini";
import { ADDRESS_CHARACTERS_MAX } from "./addresses.ts";

/** Longer than any number that is written with care. */
const AMOUNT_CHARACTERS_MAX = 40;

/**
 * A number that only ranks renditions: a size or a bit rate. Some replies write it as a string. 0
 * if there is none.
 */
export const amount = z.pipe(
  z.optional(z.unknown()),
  z.transform((value) => {
    const isText = typeof value === "string" && value.length <= AMOUNT_CHARACTERS_MAX;
    return typeof value === "number" || isText ? Number(value) || 0 : 0;
  }),
);

/** How the platforms mark files of other codecs, in a path or in a field (upstreams of 2026-10). */
const OTHER_CODEC = /(?:^|[^a-z0-9])(?:hevc|h\.?265|hvc1|hev1|bytevc|vvc1|av0?1|vp0?9)/i;

/**
 * Whether a file is H.264, which plays anywhere, as far as its URL before the query and its other marks say.
 * True for a file without any mark.
 */
export function isPlain(address: string, ...marks: readonly (string | null | undefined)[]) {
  const [path] = address.slice(0, ADDRESS_CHARACTERS_MAX).split("?", 1);
  return ![path, ...marks].some((mark) => {
    return OTHER_CODEC.test((mark ?? "").slice(0, ADDRESS_CHARACTERS_MAX));
  });
}

/** Compares lists of numbers. The first that differ decide. */
export function compareAmounts(a: readonly number[], b: readonly number[]): number {
  return a.map((value, at) => value - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
