import { readFile } from "node:fs/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as z from "zod";
import { STORE_TIMEOUT_MS } from "../../src/credits/limits.ts";
import {
  type Authenticate,
  authenticator,
  MAC_KEY_FORM,
  readMacKey,
} from "../../src/credits/record-mac.ts";
import { type Dynamo, openDynamo } from "../../src/store/dynamodb.ts";
import { type Answer, answer, problem } from "../terminal/answer.ts";

/** Where the tables are; `infra/local/stack.ts` writes it to a file for `--local`. */
export const connectionSchema = z.object({
  region: z.string(),
  /** Null for Amazon's own endpoint. */
  endpoint: z.string().nullable(),
  /** Null to take them from the AWS environment variables. */
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }).nullable(),
  /** None for the local stack, whose worker has none. */
  macKey: z.string().regex(MAC_KEY_FORM).nullish(),
  tables: z.object({ accounts: z.string(), apiKeys: z.string(), ledger: z.string() }),
});
export type Connection = z.infer<typeof connectionSchema>;

/** The opened tables. */
export interface Tables extends Readonly<Connection["tables"]> {
  readonly dynamo: Dynamo;
  readonly now: () => number;
  /** Adds its MAC to a ledger record. */
  readonly authenticate: Authenticate;
  /** For calls that the service itself never makes: scans, descriptions, table creation. */
  readonly client: DynamoDBClient;
}

export function openTables(connection: Connection): Tables {
  const { region, endpoint, credentials, tables } = connection;
  const authenticate = authenticator(readMacKey(connection.macKey ?? ""));
  const client = new DynamoDBClient({
    region,
    ...(endpoint !== null && { endpoint }),
    ...(credentials !== null && { credentials }),
    maxAttempts: 1,
  });
  const dynamo = openDynamo(client, () => AbortSignal.timeout(STORE_TIMEOUT_MS));
  return { ...tables, dynamo, client, now: () => Date.now(), authenticate };
}

/** @param path the file that the running local stack keeps. */
export async function localConnection(path: string | URL): Promise<Answer<Connection>> {
  try {
    return answer(connectionSchema.parse(JSON.parse(await readFile(path, "utf8"))));
  } catch {
    return problem("No local stack is running. Start one with `npm run dev`.");
  }
}

/** The cloud's tables: region and credentials as the AWS environment variables say. */
export function cloudConnection(env: NodeJS.ProcessEnv): Answer<Connection> {
  const region = env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"];
  if (region === undefined) {
    return problem("Set AWS_REGION and the AWS credentials, or use --local for `npm run dev`.");
  }
  const tables = {
    accounts: env["ACCOUNTS_TABLE"] ?? "pmrs-accounts",
    apiKeys: env["API_KEYS_TABLE"] ?? "pmrs-api-keys",
    ledger: env["LEDGER_TABLE"] ?? "pmrs-ledger",
  };
  const macKey = env["LEDGER_MAC_KEY"] ?? null;
  if (macKey !== null && readMacKey(macKey) === null) {
    return problem("LEDGER_MAC_KEY must be an id, a colon and 64 hex digits, as the worker's.");
  }
  return answer({ region, endpoint: null, credentials: null, macKey, tables });
}
