import { paginateQuery } from "@aws-sdk/client-dynamodb";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";

/**
 * Every ledger record of one period of an account, read consistently.
 * @param period as in `account_period`: `<account>#<YYYY-MM>` or `<account>#credits`
 * @throws what the SDK throws when DynamoDB gives no answer
 */
export async function* partition({ client, ledger }: Tables, period: string): AsyncGenerator<Item> {
  const pages = paginateQuery(
    { client },
    {
      TableName: ledger,
      KeyConditionExpression: "account_period = :period",
      ExpressionAttributeValues: { ":period": { S: period } },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) yield* Items;
}

/** From the month of that time to the current one. */
export function* monthsFrom(fromMs: number): Generator<string> {
  const month = new Date(fromMs);
  month.setUTCDate(1);
  month.setUTCHours(0, 0, 0, 0);
  for (; month.getTime() <= Date.now(); month.setUTCMonth(month.getUTCMonth() + 1)) {
    yield month.toISOString().slice(0, 7);
  }
}
