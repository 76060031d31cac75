import { LOCAL_CREDENTIALS, LOCAL_REGION, startDynamoDb } from "../../../infra/local/dynamodb.ts";
import { type Connection, openTables, type Tables } from "../../../infra/tables/tables.ts";
import { readTables } from "../../../infra/tables/template.ts";

/** Empty tables on the local engine. */
export async function startTables(): Promise<{
  connection: Connection;
  tables: Tables;
  stop: () => Promise<void>;
}> {
  const template = await readTables();
  const engine = await startDynamoDb({ tables: Object.values(template) });
  const connection = {
    region: LOCAL_REGION,
    endpoint: engine.endpoint,
    credentials: LOCAL_CREDENTIALS,
    tables: {
      accounts: template.accounts.TableName,
      apiKeys: template.apiKeys.TableName,
      ledger: template.ledger.TableName,
    },
  };
  const tables = openTables(connection);
  const stop = async () => {
    tables.client.destroy();
    await engine.stop();
  };
  return { connection, tables, stop };
}

/** What is lost of one write: all of it, or only the answer to it. */
export type Loss = "request" | "answer";

/** The same tables with one write lost: the n-th, counted from 1. */
export function losing(tables: Tables, nth: number, loss: Loss): Tables {
  let writes = 0;
  const lose = <T, W>(call: (write: T) => Promise<W>) => {
    return async (write: T) => {
      writes += 1;
      if (writes !== nth) return call(write);
      if (loss === "answer") await call(write);
      return { outcome: "unknown" as const, cause: "lost" };
    };
  };
  const { dynamo } = tables;
  return { ...tables, dynamo: { ...dynamo, put: lose(dynamo.put), update: lose(dynamo.update) } };
}
