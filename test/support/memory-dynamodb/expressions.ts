import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Item } from "../../../src/store/dynamodb.ts";

/** An expression with its placeholders, as a request contains it. */
export interface Expression {
  readonly text: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, AttributeValue>>;
}

/** DynamoDB's answer to an expression that does not fit the item or the language. */
export class ValidationException extends Error {
  override readonly name = "ValidationException";
}

/** One term of a condition. Placeholders differ from request to request. */
type Term = (expression: Expression, item: Item | null) => boolean;

/** Conditions that were read before, by their text: the code has few, and a query has many items. */
const conditions = new Map<string, readonly (readonly Term[])[]>();

/** Evaluates the conditions that the service uses: terms joined by AND, or `(one OR another)`. */
export function holds(expression: Expression, item: Item | null): boolean {
  const known = conditions.get(expression.text) ?? readCondition(expression.text);
  conditions.set(expression.text, known);
  return known.every((either) => either.some((term) => term(expression, item)));
}

function readCondition(text: string): readonly (readonly Term[])[] {
  return text.split(/ AND /).map((part) => {
    const either = /^\((.+ OR .+)\)$/.exec(part.trim())?.[1];
    const terms = either?.split(/ OR /) ?? [part];
    return terms.map((term) => readTerm(term.trim()));
  });
}

function readTerm(term: string): Term {
  const call = /^(attribute_exists|attribute_not_exists)\(([^)]+)\)$/.exec(term);
  if (call !== null) {
    const [, name, path = ""] = call;
    return (expression, item) => {
      const exists = lookUp(item, pathOf(path, expression)) !== undefined;
      return name === "attribute_exists" ? exists : !exists;
    };
  }
  const [, path, prefix] = /^begins_with\((\S+), (\S+)\)$/.exec(term) ?? [];
  if (path !== undefined && prefix !== undefined) {
    return (expression, item) => {
      const value = lookUp(item, pathOf(path, expression))?.S;
      return value?.startsWith(valueNamed(prefix, expression).S ?? "") ?? false;
    };
  }
  const comparison = /^(\S+) (=|<>|<|<=|>|>=) (\S+)$/.exec(term);
  if (comparison === null) throw new ValidationException(`unknown term ${term}`);
  const [, left = "", operator = "", right = ""] = comparison;
  return (expression, item) =>
    compare(operandOf(left, expression, item), operator, operandOf(right, expression, item));
}

function operandOf(
  text: string,
  expression: Expression,
  item: Item | null,
): AttributeValue | undefined {
  const size = /^size\((.+)\)$/.exec(text)?.[1];
  if (size !== undefined) return sizeOf(lookUp(item, pathOf(size, expression)));
  const [, path, otherwise] = /^if_not_exists\((\S+), (\S+)\)$/.exec(text) ?? [];
  if (path !== undefined && otherwise !== undefined) {
    return lookUp(item, pathOf(path, expression)) ?? operandOf(otherwise, expression, item);
  }
  if (text.startsWith(":")) return valueNamed(text, expression);
  return lookUp(item, pathOf(text, expression));
}

function sizeOf(value: AttributeValue | undefined): AttributeValue | undefined {
  if (value?.M !== undefined) return { N: String(Object.keys(value.M).length) };
  if (value?.S !== undefined) return { N: String(value.S.length) };
  return undefined;
}

/** A comparison with a missing attribute, or between two types, is false, not an error. */
function compare(
  left: AttributeValue | undefined,
  operator: string,
  right: AttributeValue | undefined,
): boolean {
  if (left === undefined || right === undefined) return false;
  if (operator === "=") return isEqual(left, right);
  if (operator === "<>") return !isEqual(left, right);
  if (left.N === undefined || right.N === undefined) return false;
  const difference = Number(left.N) - Number(right.N);
  if (operator === "<") return difference < 0;
  if (operator === "<=") return difference <= 0;
  return operator === ">" ? difference > 0 : difference >= 0;
}

function isEqual(left: AttributeValue, right: AttributeValue): boolean {
  if (left.N !== undefined && right.N !== undefined) return Number(left.N) === Number(right.N);
  return JSON.stringify(left) === JSON.stringify(right);
}

/**
 * Applies `SET … REMOVE …`. Like DynamoDB, it reads every operand from the item before the update.
 * @returns the new image, which has the parts in common with the old one that stay the same.
 */
export function updated(expression: Expression, before: Item): Item {
  const after = { ...before };
  const clauses = expression.text.matchAll(/(SET|REMOVE) (.+?)(?= SET | REMOVE |$)/g);
  for (const [, verb, list = ""] of clauses) {
    for (const action of list.split(/, (?![^(]*\))/)) {
      if (verb === "SET") set(action, expression, { before, after });
      else remove(pathOf(action.trim(), expression), after);
    }
  }
  return after;
}

/** The paths that an update sets. */
export function targets(expression: Expression): readonly (readonly string[])[] {
  const [, list = ""] = /SET (.+?)(?= REMOVE |$)/.exec(expression.text) ?? [];
  return list
    .split(/, (?![^(]*\))/)
    .map((action) => pathOf(action.trim().split(" = ")[0] ?? "", expression));
}

function set(
  action: string,
  expression: Expression,
  { before, after }: { before: Item; after: Item },
): void {
  const parsed = /^(\S+) = (\w+\(.+\)|\S+)(?: ([+-]) (\S+))?$/.exec(action.trim());
  if (parsed === null) throw new ValidationException(`unknown action ${action}`);
  const [, target = "", first = "", sign, second] = parsed;
  let value = operandOf(first, expression, before);
  if (sign !== undefined && second !== undefined) {
    value = sum(value, sign, operandOf(second, expression, before));
  }
  if (value === undefined) throw new ValidationException("an operand does not exist in the item");
  const path = pathOf(target, expression);
  mapToChange(after, path.slice(0, -1))[path.at(-1) ?? ""] = structuredClone(value);
}

function sum(
  left: AttributeValue | undefined,
  sign: string,
  right: AttributeValue | undefined,
): AttributeValue {
  if (left?.N === undefined || right?.N === undefined) {
    throw new ValidationException("an operand is no number");
  }
  const addend = sign === "+" ? Number(right.N) : -Number(right.N);
  return { N: String(Number(left.N) + addend) };
}

/** Ignores a path that does not exist, unless its parent does not exist either. */
function remove(path: readonly string[], after: Item): void {
  delete mapToChange(after, path.slice(0, -1))[path.at(-1) ?? ""];
}

/** The map at a path of a new image: a copy, which may be changed. */
function mapToChange(after: Item, path: readonly string[]): Item {
  const [name, ...inner] = path;
  if (name === undefined) return after;
  const map = lookUp(after, [name])?.M;
  if (map === undefined) throw new ValidationException("the document path is not valid");
  const copy = { ...map };
  after[name] = { M: copy };
  return mapToChange(copy, inner);
}

function lookUp(item: Item | null, path: readonly string[]): AttributeValue | undefined {
  let map: Item | undefined = item ?? undefined;
  let value: AttributeValue | undefined;
  for (const name of path) {
    value = map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
    map = value?.M;
  }
  return value;
}

function pathOf(text: string, { names }: Expression): string[] {
  return text.split(".").map((part) => {
    if (!part.startsWith("#")) return part;
    const name = names[part];
    if (name === undefined) throw new ValidationException(`${part} is not defined`);
    return name;
  });
}

function valueNamed(text: string, { values }: Expression): AttributeValue {
  const value = values[text];
  if (value === undefined) throw new ValidationException(`${text} is not defined`);
  return value;
}
