import { startDynamoDbLocal } from "./dynamodb-local.ts";
import { remoteSuite } from "./remote-suite.ts";

remoteSuite("DynamoDB Local", startDynamoDbLocal, { countsIndexes: true, runs: 3, requests: 500 });
