import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { close, listen, readBody } from "../../infra/local/loopback.ts";

/** What a gate answers, or null to let the request through. */
export type Verdict = { readonly status: number; readonly body: string } | null;

export interface Gate {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export interface GateOptions {
  readonly judge: (request: IncomingMessage, body: string) => Verdict;
  /** Where requests go that are let through. */
  readonly target: string;
  /** Headers in place of the client's own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the backends read; the rest is about the connection. */
const KEPT = /^(x-.*|content-type|authorization|upstash-.*)$/;

/** A server before a backend that knows which secrets are valid. */
export async function openGate({ judge, target, headers = {} }: GateOptions): Promise<Gate> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readBody(request);
      const verdict = judge(request, body);
      if (verdict !== null) return void response.writeHead(verdict.status).end(verdict.body);
      const { method = "GET", url = "/" } = request;
      const own = Object.entries(request.headers).flatMap(([name, value]) =>
        KEPT.test(name) && typeof value === "string" ? [[name, value] as const] : [],
      );
      const reply = await fetch(target + url, {
        method,
        headers: { ...Object.fromEntries(own), ...headers },
        ...(method !== "GET" && { body }),
      });
      const type = reply.headers.get("content-type") ?? "application/json";
      response.writeHead(reply.status, { "content-type": type }).end(await reply.text());
    })();
  });
  return { url: await listen(server), stop: () => close(server) };
}

/**
 * Checks a signature of version 4 as Amazon does ("Create a signed API request", 2026-11).
 * @param keys secrets by access key id
 */
export function isSigned(
  request: IncomingMessage,
  body: string,
  keys: ReadonlyMap<string, string>,
): boolean {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      request.headers.authorization ?? "",
    );
  const [, id = "", scope = "", names = "", signature] = parts ?? [];
  const secret = keys.get(id);
  if (secret === undefined) return false;
  const lines = names.split(";").map((name) => `${name}:${request.headers[name]}\n`);
  const canonical = `${request.method}\n/\n\n${lines.join("")}\n${names}\n${hash(body)}`;
  const text = `AWS4-HMAC-SHA256\n${request.headers["x-amz-date"]}\n${scope}\n${hash(canonical)}`;
  let key: Buffer = Buffer.from(`AWS4${secret}`);
  for (const part of scope.split("/")) key = hmac(key, part);
  return hmac(key, text).toString("hex") === signature;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
