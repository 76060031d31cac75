import manifest from "../../package.json" with { type: "json" };
import { PublicMediaClient } from "../client.ts";
import { isRecord } from "../runtime/record.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND, type Methods, type Reply } from "./rpc.ts";
import { callTool, TOOL } from "./tool.ts";

/** Revisions of the protocol in which everything that this server says means the same, newest first. */
const REVISIONS = ["2025-11-25", "2025-06-18"] as const;

/** The environment that the server is configured by. */
export interface Environment {
  readonly PUBLIC_MEDIA_API_KEY?: string | undefined;
  readonly PUBLIC_MEDIA_BASE_URL?: string | undefined;
}

/** The methods of an MCP server with one tool. */
export function createMethods(environment: Environment): Methods {
  const client = clientOf(environment);
  return {
    request: async (method, params, signal) => {
      switch (method) {
        case "initialize":
          return { result: initialize(params) };
        case "ping":
          return { result: {} };
        case "tools/list":
          return { result: { tools: [TOOL] } };
        case "tools/call":
          return call(client, params, signal);
        default:
          return { error: { code: METHOD_NOT_FOUND, message: "There is no such method." } };
      }
    },
  };
}

/** A message in its place says what is not configured. A tool's answer is where people see it. */
function clientOf(environment: Environment): PublicMediaClient | string {
  const { PUBLIC_MEDIA_API_KEY: apiKey, PUBLIC_MEDIA_BASE_URL: baseUrl } = environment;
  if (apiKey === undefined) return "The variable PUBLIC_MEDIA_API_KEY is not set.";
  if (baseUrl === undefined) return "The variable PUBLIC_MEDIA_BASE_URL is not set.";
  try {
    return new PublicMediaClient({ apiKey, baseUrl });
  } catch (error) {
    const rule = error instanceof Error ? error.message : "";
    return `PUBLIC_MEDIA_API_KEY or PUBLIC_MEDIA_BASE_URL is not usable: ${rule}.`;
  }
}

/** The client goes on with the revision that it is told, or leaves. */
function initialize({ protocolVersion }: Readonly<Record<string, unknown>>) {
  return {
    protocolVersion: REVISIONS.find((known) => known === protocolVersion) ?? REVISIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: "public-media", title: "Public media", version: manifest.version },
  };
}

async function call(
  client: PublicMediaClient | string,
  { name, arguments: given = {} }: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Reply> {
  if (name !== TOOL.name || !isRecord(given)) {
    return { error: { code: INVALID_PARAMS, message: `The only tool is ${TOOL.name}.` } };
  }
  return { result: await callTool(client, given, signal) };
}
