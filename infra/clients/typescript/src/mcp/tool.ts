import type { PublicMediaClient, ResolveAnswer } from "../client.ts";
import type { Service } from "../contract/contract.ts";
import { ApiError, PublicMediaError } from "../contract/errors.ts";
import { isService, SERVICES, URL_CHARACTERS_MAX } from "../services/services.ts";
import { advice } from "./advice.ts";
import outputSchema from "./output-schema.json" with { type: "json" };

const MAX_RESULTS_LIMIT = 20;

/** The one tool, as `tools/list` describes it. */
export const TOOL = {
  name: "resolve_public_media",
  title: "Resolve public media",
  description:
    "Resolves the URL of a public social-media post into direct URLs of its images, videos and sounds, " +
    "with title, author and caption as far as they are known. It costs credits for each returned " +
    "item; a failure costs nothing. The media URLs are temporary. Takes: " +
    `${SERVICES.flatMap(({ shapes }) => shapes).join(", ")}.`,
  inputSchema: {
    type: "object",
    properties: {
      url: {
        type: "string",
        format: "uri",
        maxLength: URL_CHARACTERS_MAX,
        description: "The post's URL.",
      },
      max_results: {
        type: "integer",
        minimum: 1,
        maximum: MAX_RESULTS_LIMIT,
        default: 10,
        description: "At most so many items. The account must have the credits for all of them.",
      },
      service: {
        type: "string",
        enum: SERVICES.map(({ service }) => service),
        description: "Only needed when the URL's service is not recognised.",
      },
    },
    required: ["url"],
    additionalProperties: false,
  },
  outputSchema,
  annotations: {
    // It changes nothing but the account's balance.
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
} as const;

interface Arguments {
  readonly url: string;
  readonly maxResults: number | undefined;
  readonly service: Service | undefined;
}

/** A result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: object;
  readonly isError?: true;
}

/**
 * Runs the tool. A failure is a result too, with advice for whoever asked.
 * @param client Null, or a message that says what is not configured.
 */
export async function callTool(
  client: PublicMediaClient | string,
  given: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolResult> {
  if (typeof client === "string") return failure(client);
  const read = readArguments(given);
  if (typeof read === "string") return failure(read);
  const { url, ...options } = read;
  try {
    return describe(await client.resolve(url, { ...options, signal }));
  } catch (error) {
    if (!(error instanceof PublicMediaError)) throw error;
    return failure(explain(error));
  }
}

function readArguments(given: Readonly<Record<string, unknown>>): Arguments | string {
  const { url, max_results: maxResults, service, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return "arguments: only url, max_results and service are known";
  if (typeof url !== "string") return "url: must be a string";
  if (!isCount(maxResults)) return `max_results: must be an integer from 1 to ${MAX_RESULTS_LIMIT}`;
  if (service === undefined) return { url, maxResults, service };
  if (typeof service === "string" && isService(service)) return { url, maxResults, service };
  return `service: must be one of ${SERVICES.map((known) => known.service).join(", ")}`;
}

function isCount(value: unknown): value is number | undefined {
  if (value === undefined) return true;
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_RESULTS_LIMIT;
}

function describe({ post, credits }: ResolveAnswer): ToolResult {
  const left = credits.available === null ? "" : ` ${credits.available} credits are left.`;
  const paid = `This call cost ${credits.charged} credits.${left}`;
  return {
    content: [
      { type: "text", text: JSON.stringify(post) },
      { type: "text", text: paid },
    ],
    structuredContent: post,
  };
}

function explain(error: PublicMediaError): string {
  if (!(error instanceof ApiError)) return `${error.message} ${advice(null)}`;
  const { code, status, message, requestId } = error;
  const id = requestId === null ? "" : ` Request: ${requestId}.`;
  return `${code} (${status}): ${message} ${advice(code)}${id}`;
}

function failure(text: string): ToolResult {
  return { content: [{ type: "text", text: text.trim() }], isError: true };
}
