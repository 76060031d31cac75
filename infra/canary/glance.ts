import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { throughGateway } from "../../src/upstream/targets.ts";

/** The bytes of a file that are asked for, and the most that are read. */
export const START_BYTES = 1_024;
const REDIRECTS_MAX = 3;
const WITHIN_MS = 10_000;

/** The beginning of a file and what came with it. */
export interface Start {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** At most {@link START_BYTES}. */
  readonly bytes: Uint8Array;
}

/** The beginning of a file, or why there is none. */
export type Glance = Start | { readonly problem: string };

export interface GlanceOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Gateway that makes the request. */
  readonly egressUrl?: string | undefined;
}

/**
 * Asks for the beginning of a file, and reads no more of it. Sends these headers and none that Node's
 * `fetch` would add. Follows redirects to https addresses. A problem never names more than a host.
 */
export async function glance(url: string, options: GlanceOptions): Promise<Glance> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  try {
    return await follow(new URL(url), { ...options, signal }, REDIRECTS_MAX);
  } catch (error) {
    if (signal.aborted) return { problem: `no answer within ${WITHIN_MS / 1000} s` };
    const code = error instanceof Error && "code" in error ? String(error.code) : "no connection";
    return { problem: code };
  }
}

type Sending = GlanceOptions & { readonly signal: AbortSignal };

async function follow(url: URL, sending: Sending, redirectsLeft: number): Promise<Glance> {
  const reply = await send(url, sending);
  const { location } = reply.headers;
  const status = reply.statusCode ?? 0;
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
    return { status, headers: reply.headers, bytes: await readStart(reply) };
  }
  reply.destroy();
  const next = URL.parse(location, url.href);
  if (next?.protocol !== "https:") return { problem: `status ${status} to no https address` };
  if (redirectsLeft === 0) return { problem: `more than ${REDIRECTS_MAX} redirects` };
  return follow(next, sending, redirectsLeft - 1);
}

function send(url: URL, { headers, egressUrl, signal }: Sending): Promise<IncomingMessage> {
  const target = egressUrl === undefined ? url : new URL(throughGateway(egressUrl, url));
  const request = target.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(target, { headers, signal, agent: false }, resolve).on("error", reject).end();
  });
}

/** Reads the first bytes and drops the connection. */
async function readStart(reply: IncomingMessage): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const stream: AsyncIterable<unknown> = reply;
  for await (const piece of stream) {
    if (!(piece instanceof Uint8Array)) continue;
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= START_BYTES) break;
  }
  reply.destroy();
  return Buffer.concat(pieces).subarray(0, START_BYTES);
}
