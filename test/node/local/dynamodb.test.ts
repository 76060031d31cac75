import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import {
  createTables,
  LOCAL_CREDENTIALS,
  LOCAL_REGION,
  startDynamoDb,
} from "../../../infra/local/dynamodb.ts";
import { readTables, tablesFromTemplate } from "../../../infra/tables/template.ts";

/** Uses the same forms as `infra/template.yaml`, with other names. */
const TEMPLATE = `
Parameters:
  Prefix: { Type: String, Default: test }
Resources:
${["Accounts", "ApiKeys", "Ledger"]
  .map(
    (name) => `
  ${name}:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    Properties:
      TableName:
        Fn::Sub: \${Prefix}-${name}
      BillingMode: PAY_PER_REQUEST
      DeletionProtectionEnabled: true
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }
      AttributeDefinitions:
        - { AttributeName: key, AttributeType: S }
        - { AttributeName: colour, AttributeType: S }
      KeySchema: [{ AttributeName: key, KeyType: HASH }]
      GlobalSecondaryIndexes:
        - IndexName: by_colour
          KeySchema: [{ AttributeName: colour, KeyType: HASH }, { AttributeName: key, KeyType: RANGE }]
          Projection: { ProjectionType: KEYS_ONLY }`,
  )
  .join("")}
`;

const { accounts } = tablesFromTemplate(TEMPLATE);

function clientOf(endpoint: string) {
  return new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
}

describe("the template's tables", () => {
  test("have their keys and indexes, and nothing that the local engine does not know", () => {
    expect(accounts).toEqual({
      TableName: "test-Accounts",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: "key", AttributeType: "S" },
        { AttributeName: "colour", AttributeType: "S" },
      ],
      KeySchema: [{ AttributeName: "key", KeyType: "HASH" }],
      GlobalSecondaryIndexes: [
        {
          IndexName: "by_colour",
          KeySchema: [
            { AttributeName: "colour", KeyType: "HASH" },
            { AttributeName: "key", KeyType: "RANGE" },
          ],
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
    });
  });

  test("take the parameters that are given", () => {
    const other = tablesFromTemplate(TEMPLATE, { Prefix: "other" });
    expect(other.apiKeys.TableName).toBe("other-ApiKeys");
  });

  test("are refused when they have a property that would be lost", () => {
    const more = TEMPLATE.replace("BillingMode:", "StreamSpecification: {}\n      BillingMode:");
    expect(() => tablesFromTemplate(more)).toThrow("StreamSpecification");
  });
});

describe("the embedded DynamoDB", () => {
  test("keeps items and their index over a restart on the same folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pmrs-"));
    const item = { key: { S: "a" }, colour: { S: "0" } };
    const TableName = accounts.TableName;

    const first = await startDynamoDb({ tables: [accounts], folder });
    await clientOf(first.endpoint).send(new PutItemCommand({ TableName, Item: item }));
    await first.stop();

    const second = await startDynamoDb({ tables: [accounts], folder });
    const client = clientOf(second.endpoint);
    const read = await client.send(new GetItemCommand({ TableName, Key: { key: { S: "a" } } }));
    expect(read.Item).toEqual(item);
    const found = await client.send(
      new QueryCommand({
        TableName,
        IndexName: "by_colour",
        KeyConditionExpression: "colour = :colour",
        ExpressionAttributeValues: { ":colour": { S: "0" } },
      }),
    );
    expect(found.Items).toEqual([item]);
    await second.stop();
    await rm(folder, { recursive: true });
  });

  test("creates the repository's own tables, once, however often it is asked", async () => {
    const { accounts, apiKeys, ledger } = await readTables();
    const tables = [accounts, apiKeys, ledger];
    const dynamodb = await startDynamoDb({ tables });
    await createTables(dynamodb.endpoint, tables);
    const reply = await clientOf(dynamodb.endpoint).send(new ListTablesCommand({}));
    expect(reply.TableNames).toEqual(tables.map(({ TableName }) => TableName).toSorted());
    await dynamodb.stop();
  });
});
