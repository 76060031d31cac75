import { startDynamoDbLocal } from "./dynamodb-local.ts";
import { engineSuite } from "./engine-suite.ts";

engineSuite("DynamoDB Local", startDynamoDbLocal, { countsIndexes: true });
