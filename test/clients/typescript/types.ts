import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { toolPath } from "../../tools/install.ts";

const DOCUMENT = fileURLToPath(new URL("../../../infra/openapi.json", import.meta.url));

/** The client's types of the contract, generated from the OpenAPI document. */
export const TYPES_FILE = fileURLToPath(
  new URL("../../../infra/clients/typescript/src/contract/openapi.ts", import.meta.url),
);

/** @param target Where the types are written. */
export async function generateTypes(target: string): Promise<void> {
  const tool = await toolPath("openapi-typescript");
  // A field with a default may be left out of a request.
  const options = ["--immutable", "--default-non-nullable=false", "--output", target];
  await promisify(execFile)(process.execPath, [tool, DOCUMENT, ...options]);
}
