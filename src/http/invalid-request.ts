import type * as z from "zod/mini";
import { type Failure, failed } from "../contract/result.ts";
import { resolveRequestSchema } from "../contract/schemas.ts";
import { findSyntaxError } from "./json-syntax.ts";

/** A client's own text is told to the client alone, and no more of it than this. */
const NAME_CHARACTERS_MAX = 64;

/** Says where a text that is no JSON goes wrong, without a word of it. */
export function describeSyntax(text: string): Failure {
  const rule = "body: must be valid JSON";
  const place = findSyntaxError(text);
  if (place === null) return failed("URL_INVALID", rule, { message: rule }).failure;
  const where = `line ${place.line}, column ${place.column}`;
  const message = `${rule}; ${place.isEnd ? "it ends too early" : "it is not"}, at ${where}`;
  return failed("URL_INVALID", rule, { message }).failure;
}

/**
 * Says which field breaks which rule. An unknown service comes before everything else. A field that is
 * not known comes next: when its name is nearly right, it explains why another one is missing.
 */
export function describeIssue(issues: readonly z.core.$ZodIssue[], submitted: unknown): Failure {
  const service = issues.find(({ path }) => path[0] === "service");
  if (service !== undefined && namesService(submitted)) {
    const message = `service: ${service.message}`;
    return failed("SERVICE_UNSUPPORTED", "unknown service", { message }).failure;
  }
  const unknown = issues.find((issue) => issue.code === "unrecognized_keys");
  if (unknown !== undefined) return describeUnknown(unknown.keys[0] ?? "");
  const [issue] = issues;
  const message = `${issue?.path.join(".") || "body"}: ${issue?.message}`;
  return failed("URL_INVALID", message, { message }).failure;
}

function namesService(submitted: unknown): boolean {
  return (
    typeof submitted === "object" &&
    submitted !== null &&
    "service" in submitted &&
    typeof submitted.service === "string"
  );
}

/** A name that a client made up may hold anything: the log does not repeat it. */
function describeUnknown(submitted: string): Failure {
  const name = submitted.slice(0, NAME_CHARACTERS_MAX);
  const field = nearestField(name);
  const hint = field === undefined ? "" : `; did you mean ${field}?`;
  const message = `body: has the unknown field "${name}"${hint}`;
  return failed("URL_INVALID", "body: has an unknown field", { message }).failure;
}

/** The field whose name is nearly this one, whatever the case: one edit for three letters. */
function nearestField(name: string): string | undefined {
  const letters = lettersOf(name);
  return Object.keys(resolveRequestSchema.shape).find((field) => {
    const wanted = lettersOf(field);
    const editsMax = Math.floor(wanted.length / 3);
    if (Math.abs(wanted.length - letters.length) > editsMax) return false;
    return editsBetween(wanted, letters) <= editsMax;
  });
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, "");
}

/** How many characters must be added, removed or replaced (Levenshtein's distance). */
function editsBetween(wanted: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const letter of wanted) {
    const next = [(row[0] ?? 0) + 1];
    for (let at = 0; at < other.length; at++) {
      const replaced = (row[at] ?? 0) + Number(other.charAt(at) !== letter);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
