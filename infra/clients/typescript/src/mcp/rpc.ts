import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { isRecord } from "../runtime/record.ts";

/** JSON-RPC 2.0 over lines, as the stdio transport of MCP has it. */

export type Id = string | number;

/** What a method answers; an error has one of JSON-RPC's codes. */
export type Reply =
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string } };

export interface Methods {
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<Reply>;
}

/** Many times the longest request: a URL has at most 2,048 characters. */
const LINE_CHARACTERS_MAX = 262_144;
const RUNNING_MAX = 64;

export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;

/** Answers requests until the input ends, then ends those that still run. */
export async function serve(input: Readable, output: Writable, methods: Methods): Promise<void> {
  const running = new Map<Id, AbortController>();
  const send = (message: object) => {
    output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const answer = async ({ id, method, params }: Request) => {
    if (running.size >= RUNNING_MAX || running.has(id)) return send({ id, ...INVALID });
    const ending = new AbortController();
    running.set(id, ending);
    const reply = await methods.request(method, params, ending.signal).catch(() => BROKEN);
    running.delete(id);
    // The client does not wait for what it has cancelled.
    if (!ending.signal.aborted) send({ id, ...reply });
  };
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const message = readMessage(line);
    if (message.kind === "invalid") send({ id: null, ...message.reply });
    if (message.kind === "cancel") running.get(message.id)?.abort();
    if (message.kind === "request") void answer(message);
  }
  for (const ending of running.values()) ending.abort();
}

const NOT_JSON = failed(-32_700, "The line is not JSON.");
const INVALID = failed(-32_600, "This is not a request that can be answered now.");
const BROKEN = failed(-32_603, "The server failed.");

interface Request {
  readonly kind: "request";
  readonly id: Id;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

type Message =
  | Request
  | { readonly kind: "cancel"; readonly id: Id }
  | { readonly kind: "ignored" }
  | { readonly kind: "invalid"; readonly reply: Reply };

function readMessage(line: string): Message {
  if (line.trim() === "") return { kind: "ignored" };
  if (line.length > LINE_CHARACTERS_MAX) return { kind: "invalid", reply: INVALID };
  const parsed = parse(line);
  if (parsed === undefined) return { kind: "invalid", reply: NOT_JSON };
  if (!isRecord(parsed) || parsed["jsonrpc"] !== "2.0") {
    return { kind: "invalid", reply: INVALID };
  }
  const { id, method } = parsed;
  const params = isRecord(parsed["params"]) ? parsed["params"] : {};
  // An answer: this server asks nothing, so there is nothing that it could answer.
  if (typeof method !== "string") return { kind: "ignored" };
  if (isId(id)) return { kind: "request", id, method, params };
  const cancelled = params["requestId"];
  if (method === "notifications/cancelled" && isId(cancelled)) {
    return { kind: "cancel", id: cancelled };
  }
  return { kind: "ignored" };
}

function failed(code: number, message: string): Reply {
  return { error: { code, message } };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isId(id: unknown): id is Id {
  return typeof id === "string" || typeof id === "number";
}
