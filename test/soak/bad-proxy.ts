import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../infra/finance/generate/random.ts";
import { close, listen } from "../../infra/local/loopback.ts";

/** A lie comes with status 200, after the call has been made. */
const FAULTS = ["fails before", "fails after", "hangs", "trickles", "lies"] as const;
type Fault = (typeof FAULTS)[number];

/** No backend would say any of these. */
const LIES = ["", "<html>busy</html>", "null", "[]", '{"result":', '"x"', "\0"] as const;
const CHUNK_MS = 100;
const CHUNKS = 30;

export interface BadProxyOptions {
  readonly target: string;
  readonly random: Random;
  /** Of each call. */
  readonly probability: () => number;
  /** Calls that are answered with 503 just now. */
  readonly isDown: (request: IncomingMessage) => boolean;
}

/** Stands before a backend. It breaks a share of the calls. */
export interface BadProxy {
  readonly url: string;
  readonly faults: ReadonlyMap<string, number>;
  readonly stop: () => Promise<void>;
}

export async function startBadProxy(options: BadProxyOptions): Promise<BadProxy> {
  const { target, random } = options;
  const faults = new Map<string, number>();
  const count = (kind: string) => void faults.set(kind, (faults.get(kind) ?? 0) + 1);
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const fault = random.chance(options.probability()) ? random.pick(FAULTS) : null;
    if (options.isDown(request)) {
      count("down");
      return void response.writeHead(503).end();
    }
    if (fault !== null) count(fault);
    if (fault === "fails before") return void response.destroy();
    const reply = await forward(target, request, body);
    await answer(response, reply, { fault, lie: random.pick(LIES) });
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  return { url: await listen(server), faults, stop: () => close(server) };
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

async function forward(target: string, request: IncomingMessage, body: Buffer): Promise<Reply> {
  const { method = "GET", url = "/" } = request;
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] => {
    const isHop = ["connection", "host", "content-length", "expect"].includes(name);
    return isHop || typeof value !== "string" ? [] : [[name, value]];
  });
  const isBodiless = method === "GET" || method === "HEAD";
  const reply = await fetch(new URL(url, target), {
    method,
    headers,
    redirect: "manual",
    ...(!isBodiless && { body }),
  });
  const told = ["content-type", "location", "x-amz-crc32"].flatMap((name): [string, string][] => {
    const value = reply.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const bytes = Buffer.from(await reply.arrayBuffer());
  return { status: reply.status, headers: Object.fromEntries(told), body: bytes };
}

async function answer(
  response: ServerResponse,
  { status, headers, body }: Reply,
  { fault, lie }: { fault: Fault | null; lie: string },
): Promise<void> {
  if (fault === "hangs") return;
  if (fault === "fails after") return void response.writeHead(500).end();
  if (fault === "lies") return void response.writeHead(200).end(lie);
  response.writeHead(status, headers);
  if (fault !== "trickles") return void response.end(body);
  const size = Math.ceil(body.length / CHUNKS);
  for (let at = 0; at < body.length; at += size) {
    response.write(body.subarray(at, at + size));
    await sleep(CHUNK_MS);
  }
  response.end();
}
