import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { serviceSchema } from "../../src/contract/schemas.ts";
import type { Outcome, Question } from "./messages.ts";

/** One line of the list. */
export interface Line extends Question {
  /** Its place in the file, from 1. */
  readonly number: number;
  /** The number of items or the code; null for any success. */
  readonly expected: number | ErrorCode | null;
}

/**
 * Reads a list. Each line has a service, a URL and, optionally, the expected number of items or the
 * expected code. Empty lines and lines that begin with `#` are skipped.
 * @throws Error that names the first wrong line and the reason
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
  return { number, service: service.data, url, expected };
}

function readExpectation(text: string): number | ErrorCode | undefined {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  return isCode(text) ? text : undefined;
}

function isCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

/** Whether an outcome is the expected one. */
export function isRight({ code, items }: Outcome, { expected }: Line): boolean {
  if (expected === null) return code === "OK";
  return typeof expected === "number" ? code === "OK" && items === expected : code === expected;
}
