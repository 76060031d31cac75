import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { LOCAL_CREDENTIALS, LOCAL_REGION } from "../../../infra/local/dynamodb.ts";
import { readTables } from "../../../infra/tables/template.ts";
import { type Dynamo, type Item, openDynamo } from "../../../src/store/dynamodb.ts";
import { createDynamoClient } from "../../../src/store/dynamodb-client.ts";
import { createEngine } from "../../support/memory-dynamodb/engine.ts";

export interface TableNames {
  readonly accounts: string;
  readonly apiKeys: string;
  readonly ledger: string;
}

/** A store with the three tables of the template, empty. */
export interface Store {
  readonly dynamo: Dynamo;
  readonly tables: TableNames;
  readonly scan: (table: string) => Promise<readonly Item[]>;
}

export async function tableNames(): Promise<TableNames> {
  const { accounts, apiKeys, ledger } = await readTables();
  return {
    accounts: accounts.TableName,
    apiKeys: apiKeys.TableName,
    ledger: ledger.TableName,
  };
}

/** The engine for the worker's tests and for the simulation. */
export async function memoryStore(): Promise<Store> {
  const tables = await tableNames();
  const { dynamo, scan } = createEngine({
    [tables.accounts]: ["account"],
    [tables.apiKeys]: ["key_id"],
    [tables.ledger]: ["account_period", "record_id"],
  });
  return { dynamo, tables, scan: async (table) => scan(table) };
}

/** The SDK's client, without its own retries. */
export function openClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    maxAttempts: 1,
  });
}

export interface RemoteOptions {
  readonly timeoutMs?: number;
  /** Replaces the worker's own client. */
  readonly metered?: DynamoDBClient;
}

/** An engine behind its own protocol. The worker's client calls it. */
export async function remoteStore(
  endpoint: string,
  { timeoutMs = 10_000, metered }: RemoteOptions = {},
): Promise<Store> {
  const options = { endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS };
  const client = openClient(endpoint);
  return {
    dynamo: openDynamo(metered ?? createDynamoClient(options), () =>
      AbortSignal.timeout(timeoutMs),
    ),
    tables: await tableNames(),
    scan: async (TableName) => {
      const { Items } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }));
      return Items ?? [];
    },
  };
}
