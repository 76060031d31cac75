import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { check } from "recheck";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";

/**
 * Expressions run over text that anybody can write into a page. One that backtracks makes a request
 * cost the square of its text's length, and stalls every other request of its isolate.
 */

interface Expression {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

/** For one expression, on a slow machine. */
const TIMEOUT_MS = 30_000;

const LOOK_UP_MS = 120_000;

/** Made of constants when the module loads, so no literal: each is checked where it is made. */
const MADE_AT_LOAD = [
  "src/keys/api-key.ts",
  "src/platforms/pinterest/pinboard.ts",
  "src/search/resolver.ts",
];

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** All nodes of a syntax tree. */
function* nodesOf(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (!isRecord(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

function nodesIn(file: string) {
  return [...nodesOf(parseAst(readFileSync(file, "utf8"), { lang: "ts" }))];
}

function expressionsIn(file: string): readonly Expression[] {
  return nodesIn(file).flatMap(({ type, regex }) => {
    if (type !== "Literal" || !isRecord(regex)) return [];
    return [{ file, pattern: String(regex["pattern"]), flags: String(regex["flags"]) }];
  });
}

function makesExpressions(file: string): boolean {
  return nodesIn(file).some(
    ({ type, callee }) =>
      (type === "NewExpression" || type === "CallExpression") &&
      isRecord(callee) &&
      callee["name"] === "RegExp",
  );
}

const files: string[] = [];
for await (const file of glob("src/**/*.ts")) files.push(file);

/** What is wrong with an expression; null for one that takes linear time. */
async function problemOf({ file, pattern, flags }: Expression): Promise<string | null> {
  // The other checker goes by time, and takes a busy machine for a slow expression.
  const options = { timeout: TIMEOUT_MS, checker: "automaton" } as const;
  const verdict = await check(pattern, flags, options);
  if (verdict.status === "safe") return null;
  const degree = verdict.status === "vulnerable" ? verdict.complexity.summary : "not decided";
  return `${file}: /${pattern}/${flags}: ${degree}`;
}

it(
  "every regular expression of the worker takes linear time",
  async () => {
    const expressions = files.flatMap(expressionsIn);
    expect(expressions.length).toBeGreaterThan(50);
    const problems: (string | null)[] = [];
    // At once, the last ones would wait for the others until their time is over.
    for (const expression of expressions) problems.push(await problemOf(expression));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  },
  LOOK_UP_MS,
);

it("finds an expression that takes the square of its text's length", async () => {
  const planted = { file: "planted", pattern: "\\s+$", flags: "" };
  expect(await problemOf(planted)).toContain("polynomial");
});

it("only constants become expressions", () => {
  expect(files.filter(makesExpressions).sort()).toEqual(MADE_AT_LOAD);
});
