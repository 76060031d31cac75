import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
} from "@aws-sdk/client-dynamodb";
import dynalite from "dynalite";
import type { TableInput } from "../tables/template.ts";
import { close, listen } from "./loopback.ts";

/** The embedded engine accepts any credentials; the protocol needs some to sign with. */
export const LOCAL_CREDENTIALS = { accessKeyId: "local", secretAccessKey: "local" } as const;
export const LOCAL_REGION = "local";

const READY_WITHIN_MS = 5_000;

/** A running embedded DynamoDB with its tables. */
export interface LocalDynamoDb {
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
}

export interface LocalDynamoDbOptions {
  readonly tables: readonly TableInput[];
  /** Folder of the state, used by this process alone. Without it, state is kept in memory. */
  readonly folder?: string | undefined;
  /** Without one, a free port is taken. */
  readonly port?: number | undefined;
}

/**
 * Starts the embedded DynamoDB and makes sure that its tables exist and can be used.
 *
 * It differs from Amazon's in two ways that matter here: it silently ignores
 * `ReturnValuesOnConditionCheckFailure`, and it has no transactions.
 */
export async function startDynamoDb(options: LocalDynamoDbOptions): Promise<LocalDynamoDb> {
  const server = dynalite({
    ...(options.folder !== undefined && { path: options.folder }),
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
  });
  const endpoint = await listen(server, options.port);
  const stop = () => close(server);
  try {
    await createTables(endpoint, options.tables);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
}

/** Creates the missing tables. Resolves when all are ready. */
export async function createTables(endpoint: string, tables: readonly TableInput[]): Promise<void> {
  const client = new DynamoDBClient({
    endpoint,
    region: LOCAL_REGION,
    credentials: { ...LOCAL_CREDENTIALS },
  });
  const abortSignal = AbortSignal.timeout(READY_WITHIN_MS);
  try {
    await Promise.all(tables.map((table) => createTable(client, table, abortSignal)));
  } finally {
    client.destroy();
  }
}

async function createTable(
  client: DynamoDBClient,
  table: TableInput,
  abortSignal: AbortSignal,
): Promise<void> {
  try {
    await client.send(new CreateTableCommand(table), { abortSignal });
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  let status: string | undefined;
  while (status !== "ACTIVE") {
    abortSignal.throwIfAborted();
    const reply = await client.send(new DescribeTableCommand({ TableName: table.TableName }), {
      abortSignal,
    });
    status = reply.Table?.TableStatus;
  }
}
