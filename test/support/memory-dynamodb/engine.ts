import type {
  Address,
  ConditionalPut,
  ConditionalUpdate,
  Dynamo,
  Item,
  Page,
  Read,
  Write,
} from "../../../src/store/dynamodb.ts";
import { type Expression, holds, targets, updated, ValidationException } from "./expressions.ts";

/** A write's change. `before` is null for an insert. */
export interface Change {
  readonly table: string;
  readonly before: Item | null;
  readonly after: Item;
}

/**
 * A DynamoDB in this process, for the service's calls. Every call is atomic and immediate. Items are
 * frozen, so that nobody changes what is stored, and none is copied to be read.
 */
export interface Engine {
  readonly dynamo: Dynamo;
  /** Every item of a table. */
  readonly scan: (table: string) => Item[];
  /** Every write in order. */
  readonly changes: readonly Change[];
}

/** @param tables names of the key attributes by table, hash key first. */
export function createEngine(tables: Readonly<Record<string, readonly string[]>>): Engine {
  const contents = new Map<string, Map<string, Item>>();
  const changes: Change[] = [];

  const locate = ({ TableName, Key }: Address) => {
    const keys = tables[TableName];
    if (keys === undefined) throw new Error(`ResourceNotFoundException: ${TableName}`);
    const items = contents.get(TableName) ?? new Map<string, Item>();
    contents.set(TableName, items);
    const id = JSON.stringify(keys.map((key) => Key[key]));
    return { items, id, found: items.get(id) ?? null };
  };

  const write = (
    request: ConditionalPut | ConditionalUpdate,
    image: (before: Item) => Item,
  ): Write => {
    const condition = expression(request, request.ConditionExpression);
    const { items, id, found } = locate(request);
    try {
      refuseUnused(request);
      if (!holds(condition, found)) return { outcome: "refused", item: found };
      const after = image(found ?? request.Key);
      freeze(after);
      items.set(id, after);
      changes.push({ table: request.TableName, before: found, after });
      return { outcome: "written", attributes: returned(request, after) };
    } catch (error) {
      if (error instanceof ValidationException) return { outcome: "unknown", cause: String(error) };
      throw error;
    }
  };

  const read = async (address: Address): Promise<Read> => {
    return { outcome: "read", item: locate(address).found };
  };

  const put = async (request: ConditionalPut): Promise<Write> =>
    write(request, () => structuredClone(request.Item ?? {}));

  const update = async (request: ConditionalUpdate): Promise<Write> =>
    write(request, (before) =>
      updated(expression(request, request.UpdateExpression ?? ""), before),
    );

  const scan = (table: string) => [...(contents.get(table)?.values() ?? [])];

  const query: Dynamo["query"] = async (request): Promise<Page> => {
    const table = request.TableName ?? "";
    const condition = expression(request, request.KeyConditionExpression ?? "");
    const keys = tables[table] ?? [];
    return pageOf(
      scan(table).filter((item) => holds(condition, item)),
      keys,
      request,
    );
  };

  return { dynamo: { read, put, update, query }, scan, changes };
}

/** The attributes that an update sets, if it asks for them: a nested one within its map. */
function returned(request: ConditionalPut | ConditionalUpdate, after: Item): Item {
  if (!("UpdateExpression" in request) || request.ReturnValues !== "UPDATED_NEW") return {};
  const all = targets(expression(request, request.UpdateExpression ?? ""));
  return Object.fromEntries(
    all.flatMap(([name = "", inner]) => {
      const value = after[name];
      if (value === undefined) return [];
      const part = inner === undefined ? value : { M: only([inner])(value.M ?? {}) };
      return [[name, part]];
    }),
  );
}

/** The items that a query found, sorted and cut as the request asks. */
function pageOf(
  found: Item[],
  keys: readonly string[],
  request: Parameters<Dynamo["query"]>[0],
): Page {
  const order = (item: Item) => JSON.stringify(keys.map((key) => item[key]?.S));
  const sign = request.ScanIndexForward === false ? -1 : 1;
  const sorted = found.toSorted((a, b) => (order(a) < order(b) ? -sign : sign));
  const start = request.ExclusiveStartKey;
  const isBehind = (item: Item, other: Item) =>
    sign === 1 ? order(item) > order(other) : order(item) < order(other);
  const from = start === undefined ? sorted : sorted.filter((item) => isBehind(item, start));
  const page = from.slice(0, request.Limit);
  // The one index that the worker reads contains only its own key and the table's.
  const items = request.IndexName === undefined ? page : page.map(only([...keys, "sweep"]));
  const next = items.length < from.length ? (items.at(-1) ?? null) : null;
  return { outcome: "read", items, next };
}

/** Freezes a value with all that it holds; what is frozen already is so down to its leaves. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  // Bytes cannot be frozen.
  if (ArrayBuffer.isView(value)) return;
  const parts: readonly unknown[] = Object.values(value);
  for (const part of parts) freeze(part);
  Object.freeze(value);
}

function only(names: readonly string[]): (item: Item) => Item {
  return (item) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}

/** DynamoDB refuses placeholders that no expression uses. */
function refuseUnused(request: ConditionalPut | ConditionalUpdate): void {
  const update = "UpdateExpression" in request ? request.UpdateExpression : "";
  const used = new Set(`${request.ConditionExpression} ${update}`.match(/[:#]\w+/g));
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = request;
  for (const name of [...Object.keys(names), ...Object.keys(values)]) {
    if (!used.has(name)) throw new ValidationException(`${name} is not used`);
  }
}

function expression(
  request: Pick<ConditionalUpdate, "ExpressionAttributeNames" | "ExpressionAttributeValues">,
  text: string,
): Expression {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = request;
  return { text, names, values };
}
