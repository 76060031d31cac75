import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { PublicMediaClient } from "../../../infra/clients/typescript/src/client.ts";
import { close, listen } from "../../../infra/local/loopback.ts";

/** What a media host was asked. */
export interface Asked {
  readonly url: string;
  readonly headers: Headers;
}

export type Behaviour = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A medium of 300,000 bytes, none like its neighbour. */
export const MEDIUM = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, at) => at % 251));

/**
 * A media host that answers under every name. The client's requests reach it through a `fetch` that
 * changes the address alone.
 */
export async function startMediaHost() {
  const asked: Asked[] = [];
  const received: IncomingMessage["headers"][] = [];
  const state: { behave: Behaviour } = { behave: sendMedium };
  const server = createServer((request, response) => {
    received.push(request.headers);
    void state.behave(request, response);
  });
  const local = await listen(server);
  const send: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    asked.push({ url: url.href, headers: new Headers(init?.headers) });
    return fetch(`${local}${url.pathname}`, init);
  };
  const client = new PublicMediaClient({
    apiKey: "svc_live_secret",
    baseUrl: "https://api.example",
    fetch: send,
    attemptsMax: 3,
  });
  return { client, asked, received, state, stop: () => close(server) };
}

/** As a good host: knows ranges, and whether the medium is still the same. */
export function sendMedium(request: IncomingMessage, response: ServerResponse): void {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? "0");
  const isRest = start > 0 && request.headers["if-range"] === '"v1"';
  const body = isRest ? MEDIUM.subarray(start) : MEDIUM;
  response.writeHead(isRest ? 206 : 200, {
    "content-type": "video/mp4",
    "content-length": body.length,
    etag: '"v1"',
    ...(isRest && { "content-range": `bytes ${start}-${MEDIUM.length - 1}/${MEDIUM.length}` }),
  });
  response.end(body);
}

/** Announces the whole medium, sends a part of it and hangs up. */
export function breakOff(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "video/mp4",
    "content-length": MEDIUM.length,
    etag: '"v1"',
  });
  response.write(MEDIUM.subarray(0, 100_000), () => response.destroy());
}
