import {
  isBindingElement,
  isCallExpression,
  isElementAccessExpression,
  isExpression,
  isIdentifier,
  isImportAttributes,
  isNewExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isVariableDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";
import { API, type Checker, type Type, TypeFlags } from "typescript/unstable/sync";

/** What accepts an `any` without believing anything about it. */
const ACCEPTS_ALL = TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TypeParameter;

/**
 * Finds what the compiler lets pass: names whose type is `any` though nobody wrote it, members read
 * from an `any`, and an `any` that is handed to something that expects a type.
 * @param config path of a tsconfig.json
 * @param isOwn whether a file of its program is to be looked at
 * @returns `path:line: text` of each place
 */
export function findAny(config: string, isOwn: (path: string) => boolean): string[] {
  const api = new API();
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} cannot be read`);
    return project.program
      .getSourceFileNames()
      .filter((path) => !path.endsWith(".d.ts") && isOwn(path))
      .flatMap((path) => {
        const file = project.program.getSourceFile(path);
        return file === undefined ? [] : anyIn(project.checker, file);
      });
  } finally {
    api.close();
  }
}

function anyIn(checker: Checker, file: SourceFile): string[] {
  const nodes: Node[] = [];
  const visit = (node: Node) => {
    // `with { type: "json" }` has no types.
    if (isImportAttributes(node)) return;
    if (isExpression(node) || isIdentifier(node)) nodes.push(node);
    node.forEachChild(visit);
  };
  visit(file);
  const types = typesOf(checker, nodes);
  return nodes
    .filter(
      (node, at) =>
        isAny(types[at]) && (isDeclared(node) || isRead(node) || isBelieved(checker, node)),
    )
    .map((node) => {
      const line = file.text.slice(0, node.getStart(file)).split("\n").length;
      return `${file.fileName}:${line}: ${node.getText(file)}`;
    });
}

/** The compiler's interface (7.0.2) fails on a few types, none of them `any`: those are left out. */
function typesOf(checker: Checker, nodes: readonly Node[]): (Type | undefined)[] {
  try {
    return checker.getTypeAtLocation(nodes);
  } catch {
    if (nodes.length === 1) return [undefined];
    const half = Math.ceil(nodes.length / 2);
    return [nodes.slice(0, half), nodes.slice(half)].flatMap((part) => typesOf(checker, part));
  }
}

function isAny(type: Type | undefined): boolean {
  return type !== undefined && (type.flags & TypeFlags.Any) !== 0;
}

function isDeclared(node: Node): boolean {
  const { parent } = node;
  const declares =
    isVariableDeclaration(parent) || isParameterDeclaration(parent) || isBindingElement(parent);
  return declares && parent.name === node;
}

/** Whether a member is read from it, or it is called. */
function isRead(node: Node): boolean {
  const { parent } = node;
  // The word `import` in a call is no value.
  if (node.kind === SyntaxKind.ImportKeyword) return false;
  const reads =
    isPropertyAccessExpression(parent) ||
    isElementAccessExpression(parent) ||
    isCallExpression(parent) ||
    isNewExpression(parent);
  return reads && parent.expression === node;
}

/** Whether it stands where a type is expected. */
function isBelieved(checker: Checker, node: Node): boolean {
  if (!isExpression(node)) return false;
  const expected = checker.getContextualType(node);
  return expected !== undefined && (expected.flags & ACCEPTS_ALL) === 0;
}
