import type * as z from "zod/mini";
import "../runtime/zod-messages.ts";
import { success } from "../contract/result.ts";
import { ADDRESS_CHARACTERS_MAX } from "./addresses.ts";
import type { Answer } from "./answer.ts";
import { drifted } from "./drift.ts";

/**
 * Reads a platform's JSON. If its shape differs from the schema, the platform has changed, and the
 * failure names the field.
 * @param parse like `JSON.parse`; may throw anything if the text is no JSON
 */
export function readJson<T>(
  body: string,
  schema: z.ZodMiniType<T>,
  parse: (text: string) => unknown = JSON.parse,
): Answer<T> {
  const value = parseJson(body, parse);
  if (value === undefined) return drifted("not JSON, or too many values or escapes", "body", body);
  return read(value, schema, () => body);
}

/** Reads a value within a platform's JSON, as {@link readJson} reads the whole. */
export function readShape<T>(value: unknown, schema: z.ZodMiniType<T>): Answer<T> {
  return read(value, schema, () => textOf(value));
}

/**
 * Undefined, which no JSON text means, for a text that is none, or that has more values or more escapes
 * than any reply. A megabyte of empty objects would take 50 times its size in memory; one of escaped
 * characters takes up to five times as long as one of ordinary text.
 */
export function parseJson(body: string, parse: (text: string) => unknown = JSON.parse): unknown {
  // A shorter text cannot hold so many.
  if (body.length > JSON_VALUES_MAX && isCrowded(body)) return undefined;
  try {
    return parse(body);
  } catch {
    return undefined;
  }
}

/** Values of one text; recorded replies have up to 14,000 (2025-11). */
export const JSON_VALUES_MAX = 30_000;
const MARKS = [",", "[", "{"] as const;

/** Backslashes of one text; recorded replies have up to 3,000, and a whole page 7,000 (2025-11). */
export const JSON_ESCAPES_MAX = 30_000;

function isCrowded(text: string): boolean {
  if (jsonValuesAtMost(text) > JSON_VALUES_MAX) return true;
  return countUpTo(text, "\\", JSON_ESCAPES_MAX) > JSON_ESCAPES_MAX;
}

/**
 * Counts what separates and opens values, in strings too: never fewer than there are. Stops counting
 * above {@link JSON_VALUES_MAX}. Jumps from mark to mark, in a third of the time of looking at each
 * character.
 */
export function jsonValuesAtMost(text: string): number {
  return MARKS.reduce((count, mark) => {
    return count + countUpTo(text, mark, JSON_VALUES_MAX - count);
  }, 1);
}

/** How often a text has a mark; at most one more than `max`. */
export function countUpTo(text: string, mark: string, max: number): number {
  let count = 0;
  for (let at = text.indexOf(mark); at !== -1 && count <= max; count++) {
    at = text.indexOf(mark, at + 1);
  }
  return count;
}

function read<T>(value: unknown, schema: z.ZodMiniType<T>, came: () => string): Answer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return success(parsed.data);
  const [issue] = parsed.error.issues;
  const path = issue === undefined ? [] : pathOf(issue);
  const field = path.join(".") || "body";
  return drifted(`unexpected JSON: ${field}: ${issue?.message}`, field, from(came(), path));
}

/** Follows the alternative that fits best: the one that fails deepest. */
function pathOf(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  if (issue.code !== "invalid_union") return issue.path;
  const inner = issue.errors
    .flatMap(([first]) => (first === undefined ? [] : [pathOf(first)]))
    .toSorted((a, b) => b.length - a.length);
  return [...issue.path, ...(inner[0] ?? [])];
}

/** The text from the field on. If the field is missing, from the nearest field around it. */
function from(text: string, path: readonly PropertyKey[]): string {
  for (const key of path.toReversed()) {
    const at = text.indexOf(`"${String(key)}"`);
    if (at !== -1) return text.slice(at);
  }
  return text;
}

/**
 * A value as text again, its strings no longer than an address that goes out. Empty if it is nested too
 * deeply.
 */
export function textOf(value: unknown): string {
  try {
    return JSON.stringify(shortened(value)) ?? "";
  } catch {
    return "";
  }
}

/** To write a megabyte of emoji as JSON takes three times as long as to read it. */
function shortened(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, ADDRESS_CHARACTERS_MAX);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(shortened);
  const fields: readonly (readonly [string, unknown])[] = Object.entries(value);
  return Object.fromEntries(fields.map(([name, inner]) => [name, shortened(inner)]));
}
