import { readFile } from "node:fs/promises";
import process from "node:process";
import { pathToFileURL } from "node:url";

/**
 * Talks to the MCP server as the public SDK does. It takes the SDK's folder, the server's command, and
 * a list of arguments to call the tool with. It prints what came.
 */
const [, , sdk = "", command = "", list = "[]"] = process.argv;
const load = (/** @type {string} */ path) => import(pathToFileURL(`${sdk}/dist/esm/${path}`).href);
const [{ Client }, { StdioClientTransport }] = await Promise.all([
  load("client/index.js"),
  load("client/stdio.js"),
]);

const client = new Client({ name: "test", version: "1.0.0" });
const { PUBLIC_MEDIA_API_KEY, PUBLIC_MEDIA_BASE_URL, PATH = "" } = process.env;
const given = { PUBLIC_MEDIA_API_KEY, PUBLIC_MEDIA_BASE_URL, PATH };
const env = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
const transport = new StdioClientTransport({ command, env, stderr: "pipe" });
let complaints = "";
transport.stderr?.on("data", (/** @type {Buffer} */ chunk) => {
  complaints += chunk;
});
await client.connect(transport);
await client.ping();
const { tools } = await client.listTools();
const results = [];
for (const wanted of JSON.parse(await readFile(list, "utf8"))) {
  // The SDK checks structured content against the tool's output schema.
  results.push(await client.callTool({ name: "resolve_public_media", arguments: wanted }));
}
const unknown = await client.callTool({ name: "other" }).then(
  () => null,
  (/** @type {{ code: number }} */ { code }) => code,
);
const server = client.getServerVersion();
await client.close();
console.log(JSON.stringify({ server, tools, results, unknown, complaints }));
