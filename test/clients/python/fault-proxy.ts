import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { close, listen } from "../../../infra/local/loopback.ts";

/**
 * What happens to one request on its way. `answers` comes in place of the service, all others but
 * `drops before` reach it. `drops at once` does not wait for its answer.
 */
export const faultSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("answers"),
    status: z.int(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string(),
  }),
  z.object({ kind: z.enum(["passes", "drops before", "drops at once", "drops after", "cuts"]) }),
  z.object({ kind: z.literal("is late"), ms: z.int() }),
  z.object({ kind: z.enum(["trickles", "trickles the head"]), ms: z.int() }),
]);
export type Fault = z.infer<typeof faultSchema>;

/** A request as the proxy saw it. */
export interface Seen {
  readonly idempotencyKey: string | null;
  readonly body: string;
  readonly fault: Fault["kind"];
  readonly atMs: number;
}

/** Stands before the service. */
export interface FaultProxy {
  readonly url: string;
  /** What happens to the next requests with an API key, in order. Later ones pass. */
  readonly plan: (key: string, faults: readonly Fault[]) => void;
  readonly seen: (key: string) => readonly Seen[];
  readonly stop: () => Promise<void>;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const plans = new Map<string, Fault[]>();
  const seen = new Map<string, Seen[]>();
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const key = request.headers.authorization?.replace("Bearer ", "") ?? "";
    const fault = plans.get(key)?.shift() ?? { kind: "passes" };
    const idempotencyKey = request.headers["idempotency-key"]?.toString() ?? null;
    const one = { idempotencyKey, body: body.toString(), fault: fault.kind, atMs: Date.now() };
    seen.set(key, [...(seen.get(key) ?? []), one]);
    if (fault.kind === "answers") {
      return void response.writeHead(fault.status, fault.headers).end(fault.body);
    }
    if (fault.kind === "drops before") return void response.destroy();
    if (fault.kind === "drops at once") response.destroy();
    await answer(response, await forward(target, request, body), fault);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  return {
    url: await listen(server),
    plan: (key, faults) => void plans.set(key, [...faults]),
    seen: (key) => seen.get(key) ?? [],
    stop: () => close(server),
  };
}

interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

const OF_THE_CONNECTION = [
  ...["connection", "host", "content-length", "transfer-encoding", "expect", "keep-alive"],
  ...["content-encoding", "accept-encoding"],
];

async function forward(target: string, request: IncomingMessage, body: Buffer): Promise<Reply> {
  const { method = "GET", url = "/" } = request;
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    OF_THE_CONNECTION.includes(name) || typeof value !== "string" ? [] : [[name, value]],
  );
  const reply = await fetch(new URL(url, target), {
    method,
    headers,
    redirect: "manual",
    ...(method === "POST" && { body }),
  });
  const kept = [...reply.headers].filter(([name]) => !OF_THE_CONNECTION.includes(name));
  return { status: reply.status, headers: kept, body: Buffer.from(await reply.arrayBuffer()) };
}

async function answer(response: ServerResponse, reply: Reply, fault: Fault): Promise<void> {
  const length = ["content-length", String(reply.body.length)] as const;
  const headers = Object.fromEntries([...reply.headers, length]);
  if (fault.kind === "drops after") return void response.destroy();
  if (fault.kind === "trickles the head") return trickleHead(response, fault.ms);
  if (fault.kind === "is late") await sleep(fault.ms);
  response.writeHead(reply.status, headers);
  if (fault.kind === "cuts") {
    return void response.write(reply.body.subarray(0, 40), () => response.destroy());
  }
  if (fault.kind !== "trickles") return void response.end(reply.body);
  for (const byte of reply.body) {
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
    await sleep(fault.ms);
  }
  response.end();
}

/** A head that never ends. */
async function trickleHead(response: ServerResponse, ms: number): Promise<void> {
  const { socket } = response;
  socket?.write("HTTP/1.1 200 OK\r\nX-Filling: ");
  while (socket !== null && !socket.destroyed) {
    socket.write("x");
    await sleep(ms);
  }
}
