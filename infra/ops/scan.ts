import {
  paginateQuery,
  paginateScan,
  type QueryCommandInput,
  type ScanCommandInput,
} from "@aws-sdk/client-dynamodb";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, unreachable } from "../terminal/answer.ts";

/** Every item of a table, read consistently. */
export function scanAll(
  { client }: Tables,
  TableName: string,
  input: Partial<ScanCommandInput> = {},
): Promise<Answer<Item[]>> {
  return gather(paginateScan({ client }, { TableName, ConsistentRead: true, ...input }));
}

/** Every item that a query finds. */
export function queryAll({ client }: Tables, input: QueryCommandInput): Promise<Answer<Item[]>> {
  return gather(paginateQuery({ client }, input));
}

async function gather(pages: AsyncIterable<{ Items?: Item[] | undefined }>) {
  const items: Item[] = [];
  try {
    for await (const { Items = [] } of pages) items.push(...Items);
  } catch (error) {
    return unreachable(error instanceof Error ? error.name : String(error));
  }
  return answer(items);
}
