import { startDynamoDb } from "../../../infra/local/dynamodb.ts";
import { readTables } from "../../../infra/tables/template.ts";
import { engineSuite } from "./engine-suite.ts";

async function start() {
  const { accounts, apiKeys, ledger } = await readTables();
  return startDynamoDb({ tables: [accounts, apiKeys, ledger] });
}

engineSuite("the embedded engine", start, { countsIndexes: false });
