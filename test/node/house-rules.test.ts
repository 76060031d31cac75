import { relative } from "node:path";
import {
  isArrowFunction,
  isAsExpression,
  isCallExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isNonNullExpression,
  isPropertyAccessExpression,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";
import { beforeAll, describe, expect, it } from "vitest";

/** House rules that Biome has no rule for. Every file is parsed by the compiler. */

const FUNCTION_LINES_MAX = 50;
const PROJECTS = ["tsconfig.json", "test/tsconfig.json", "infra/tsconfig.json"];
const ROOT = process.cwd();

interface Checked {
  readonly source: SourceFile;
  readonly nodes: readonly Node[];
}

let files: readonly Checked[] = [];

beforeAll(() => {
  const api = new API({ cwd: ROOT });
  const openProjects = PROJECTS.map((file) => `${ROOT}/${file}`);
  const byName = new Map<string, Checked>();
  for (const { program } of api.updateSnapshot({ openProjects }).getProjects()) {
    for (const name of program.getSourceFileNames()) {
      const isOwn = /^(?:src|infra|test)\/.*(?<!\.d)\.ts$/.test(relative(ROOT, name));
      const source = isOwn ? program.getSourceFile(name) : undefined;
      if (source !== undefined) byName.set(name, { source, nodes: [...walk(source)] });
    }
  }
  files = [...byName.values()];
  return () => api.close();
}, 60_000);

describe("the code", () => {
  it("is all looked at", () => {
    const names = files.map(({ source }) => relative(ROOT, source.fileName));
    for (const name of [
      "src/index.ts",
      "test/node/house-rules.test.ts",
      "infra/ops/commands/main.ts",
    ]) {
      expect(names).toContain(name);
    }
    expect(names.length).toBeGreaterThan(300);
  });

  it("has no function of more than 50 lines but for a describe with its cases", () => {
    const violations = files.flatMap(({ source, nodes }) =>
      nodes
        .filter((node) => bodyOf(node) !== undefined && !isDescribe(node.parent))
        .filter((node) => linesOf(source, node) > FUNCTION_LINES_MAX)
        .map((node) => place(source, node)),
    );
    expect(violations).toEqual([]);
  });

  it("never tells the compiler what a type is: no `as` but `as const`, no `!`, no `any`", () => {
    const violations = files.flatMap(({ source, nodes }) =>
      nodes.filter((node) => isAssertion(source, node)).map((node) => place(source, node)),
    );
    expect(violations).toEqual([]);
  });
});

function* walk(node: Node): Generator<Node, void, undefined> {
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) yield* walk(child);
}

/** Of a function; undefined for every other node. */
function bodyOf(node: Node): Node | undefined {
  const hasBody =
    isArrowFunction(node) ||
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isMethodDeclaration(node);
  return hasBody ? node.body : undefined;
}

/** `describe(…)`, `describe.each(…)(…)` and the like. */
function isDescribe(node: Node): boolean {
  if (!isCallExpression(node)) return false;
  let called: Node = node;
  while (isCallExpression(called) || isPropertyAccessExpression(called)) called = called.expression;
  return isIdentifier(called) && called.text === "describe";
}

/** Blank lines, and those of the signature and the braces, are not counted. */
function linesOf(source: SourceFile, node: Node): number {
  const body = bodyOf(node);
  if (body === undefined) return 0;
  const lines = source.text.slice(body.getStart(source) + 1, body.end - 1).split("\n");
  return lines.filter((line) => line.trim() !== "").length;
}

function isAssertion(source: SourceFile, node: Node): boolean {
  if (isAsExpression(node)) return node.type.getText(source) !== "const";
  return isNonNullExpression(node) || node.kind === SyntaxKind.AnyKeyword;
}

function place(source: SourceFile, node: Node): string {
  const start = node.getStart(source);
  const line = source.text.slice(0, start).split("\n").length;
  const text = source.text.slice(start, Math.min(node.end, start + 40)).replace(/\s+/g, " ");
  return `${relative(ROOT, source.fileName)}:${line} ${text}`;
}
