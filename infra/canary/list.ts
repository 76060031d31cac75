import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { serviceSchema } from "../../src/contract/schemas.ts";
import type { Outcome, Question } from "./messages.ts";

/** One line of the list. */
export interface Line extends Question {
  /** How many items, or which code; null for any success. */
  readonly expected: number | ErrorCode | null;
}

/**
 * Reads a list: on each line a service, a URL and, where it matters, the number of items or the code
 * that is right. Empty lines and those that begin with `#` say nothing.
 * @throws Error that names the first line that is wrong, and why
 */
export function readList(text: string): readonly Line[] {
  const lines = text.split(/\r?\n/).flatMap((line, at) => {
    const words = line.trim().split(/\s+/);
    return words[0] === "" || words[0]?.startsWith("#") ? [] : [readLine(words, at + 1)];
  });
  if (lines.length === 0) throw new Error("The list is empty.");
  return lines;
}

function readLine(words: readonly string[], number: number): Line {
  const [name = "", url = "", expectation, ...rest] = words;
  const service = serviceSchema.safeParse(name);
  const wrong = (why: string) => new Error(`Line ${number}: ${why}.`);
  if (!service.success) throw wrong(`"${name}" is no service`);
  if (!URL.canParse(url)) throw wrong(`"${url}" is no URL`);
  if (rest.length > 0) throw wrong("there is more than service, URL and expectation");
  const expected = expectation === undefined ? null : readExpectation(expectation);
  if (expected === undefined) throw wrong(`"${expectation}" is neither a number nor a code`);
  return { service: service.data, url, expected };
}

function readExpectation(text: string): number | ErrorCode | undefined {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  return isCode(text) ? text : undefined;
}

function isCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

/** Whether an outcome is what the line asks for. */
export function isRight({ code, items }: Outcome, { expected }: Line): boolean {
  if (expected === null) return code === "OK";
  return typeof expected === "number" ? code === "OK" && items === expected : code === expected;
}
