import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as z from "zod";
import { close, listen, readBody } from "./loopback.ts";
import type { Command, Outcome, Redis, Reply } from "./redis/command.ts";

/** The endpoint that `@upstash/redis` talks to. */
export interface UpstashEndpoint {
  /** For `UPSTASH_REDIS_REST_URL`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export interface UpstashOptions {
  readonly redis: Redis;
  /** The bearer token that clients send. */
  readonly token: string;
}

const argumentSchema = z.union([
  z.string(),
  z.number().transform(String),
  z.boolean().transform(String),
]);
const commandSchema = z.array(argumentSchema).min(1);

/** The paths: `/` runs one command, the other two run several. */
const routes: Readonly<
  Record<string, { schema: z.ZodType<readonly Command[]>; atomic: boolean; single: boolean }>
> = {
  "/": { schema: commandSchema.transform((command) => [command]), atomic: false, single: true },
  "/pipeline": { schema: z.array(commandSchema), atomic: false, single: false },
  "/multi-exec": { schema: z.array(commandSchema), atomic: true, single: false },
};

interface Answer {
  readonly status: number;
  readonly body: Outcome | readonly Outcome[];
}

/** Serves the part of Upstash's REST interface that Upstash's own client uses. */
export async function startUpstash(options: UpstashOptions): Promise<UpstashEndpoint> {
  const server = createServer((request, response) => void respond(options, request, response));
  return { url: await listen(server), stop: () => close(server) };
}

async function respond(
  options: UpstashOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, body } = await answer(options, request).catch(() =>
    refuse(500, "ERR internal error"),
  );
  const isBase64 = request.headers["upstash-encoding"] === "base64";
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(isBase64 ? inBase64(body) : body));
}

async function answer({ redis, token }: UpstashOptions, request: IncomingMessage): Promise<Answer> {
  const text = await readBody(request);
  if (request.headers.authorization !== `Bearer ${token}`) {
    return refuse(401, "WRONGPASS invalid or missing auth token");
  }
  if (request.method !== "POST") return refuse(405, "ERR method not allowed");
  const route = routes[request.url ?? ""];
  if (route === undefined) return refuse(404, "ERR not found");
  const commands = route.schema.safeParse(parseJson(text));
  if (!commands.success) return refuse(400, "ERR failed to parse command");

  const outcomes = await redis.run(commands.data, route.atomic);
  if (!route.single) return { status: 200, body: outcomes };
  const [outcome = { error: "ERR no reply" }] = outcomes;
  return { status: "error" in outcome ? 400 : 200, body: outcome };
}

function refuse(status: number, error: string): Answer {
  return { status, body: { error } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function inBase64(body: Answer["body"]): Answer["body"] {
  return isList(body) ? body.map(outcomeInBase64) : outcomeInBase64(body);
}

/** `OK` stays as it is: the client expects this status unencoded. */
function outcomeInBase64(outcome: Outcome): Outcome {
  if ("error" in outcome || outcome.result === "OK") return outcome;
  return { result: replyInBase64(outcome.result) };
}

function replyInBase64(reply: Reply): Reply {
  if (typeof reply === "string") return Buffer.from(reply).toString("base64");
  return reply !== null && typeof reply === "object" ? reply.map(replyInBase64) : reply;
}

function isList(body: Answer["body"]): body is readonly Outcome[] {
  return Array.isArray(body);
}
