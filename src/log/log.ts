import { scrubbedCause } from "./scrub.ts";

/** Writes one line of the log; never a key, a token or a media URL. */
export type Log = (entry: Readonly<Record<string, unknown>>) => void;

/** Ids, codes and names are shorter; what is longer, or tells of something from outside, is scrubbed. */
const HARMLESS_CHARACTERS_MAX = 64;
const FROM_OUTSIDE: readonly string[] = ["cause", "excerpt", "field", "problem"];

/**
 * The last net: whoever forgot to scrub what came from outside has it scrubbed here.
 * @param write takes one line of JSON
 */
export function openLog(write: (line: string) => void): Log {
  return (entry) => write(JSON.stringify(entry, scrubEntry));
}

function scrubEntry(name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const isSuspect = FROM_OUTSIDE.includes(name) || value.length > HARMLESS_CHARACTERS_MAX;
  return isSuspect ? scrubbedCause(value) : value;
}
