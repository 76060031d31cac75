import { startDynamoDb } from "../../../infra/local/dynamodb.ts";
import { readTables } from "../../../infra/tables/template.ts";
import { remoteSuite } from "./remote-suite.ts";

async function start() {
  const { accounts, apiKeys, ledger } = await readTables();
  return startDynamoDb({ tables: [accounts, apiKeys, ledger] });
}

remoteSuite("the embedded engine", start, { countsIndexes: false, runs: 1, requests: 150 });
