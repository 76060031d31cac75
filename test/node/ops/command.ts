import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { LOCAL_CREDENTIALS, LOCAL_REGION } from "../../../infra/local/dynamodb.ts";
import type { Connection } from "../../../infra/tables/tables.ts";

/** Runs the operator's tool on these tables, without a terminal. */
export async function runOps(connection: Connection, words: readonly string[], input = "") {
  const env = {
    ...process.env,
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: connection.endpoint ?? "",
  };
  const child = spawn(process.execPath, ["infra/ops/commands/main.ts", ...words], { env });
  // A command that does not read its input may have ended already.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { out, error, code };
}
