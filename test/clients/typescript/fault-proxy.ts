import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { close, listen, readBody } from "../../../infra/local/loopback.ts";

/** What becomes of one request. */
export type Fault =
  /** Nothing. */
  | "pass"
  /** The connection is lost before the service has seen the request. */
  | "lose request"
  /** The connection is lost while the service works. */
  | "lose connection"
  /** The service has done its work, and the answer is lost. */
  | "lose answer"
  /** A part of the answer arrives. */
  | "cut answer"
  /** The service has done its work, and the answer never arrives. */
  | "withhold answer"
  /** Something before the service answers. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

export interface FaultProxy {
  readonly url: string;
  /** Taken one by one; none means `pass`. */
  readonly faults: Fault[];
  /** The requests' headers. */
  readonly received: IncomingMessage["headers"][];
  readonly stop: () => Promise<void>;
}

/** Passes requests on to the service, and loses some of them or of their answers. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const faults: Fault[] = [];
  const received: IncomingMessage["headers"][] = [];
  const server = createServer(async (request, response) => {
    received.push(request.headers);
    const fault = faults.shift() ?? "pass";
    const body = await readBody(request);
    if (fault === "lose request") return void response.destroy();
    if (typeof fault === "object") {
      return void response.writeHead(fault.status, fault.headers).end("not of the service");
    }
    const answered = forward(target, request, body);
    if (fault === "lose connection") response.destroy();
    spoil(response, await answered, fault);
  });
  return { url: await listen(server), faults, received, stop: () => close(server) };
}

interface Answered {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

async function forward(
  target: string,
  { url = "/", method = "POST", headers }: IncomingMessage,
  body: string,
): Promise<Answered> {
  const names = ["authorization", "content-type", "idempotency-key", "user-agent"];
  const kept = names.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  const answer = await fetch(target + url, { method, body, headers: Object.fromEntries(kept) });
  const { status } = answer;
  return { status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
}

function spoil(response: ServerResponse, { status, headers, text }: Answered, fault: Fault): void {
  if (response.destroyed || fault === "withhold answer") return;
  if (fault === "lose answer") return void response.destroy();
  const { "transfer-encoding": _, "content-encoding": __, ...others } = headers;
  const length = { "content-length": String(Buffer.byteLength(text)) };
  response.writeHead(status, { ...others, ...length });
  if (fault !== "cut answer") return void response.end(text);
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}
