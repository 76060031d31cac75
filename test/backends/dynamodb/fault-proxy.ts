import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../infra/finance/generate/random.ts";
import { close, listen } from "../../../infra/local/loopback.ts";

/** What the proxy can do to one call. */
const FAULTS = [
  "reset before",
  "reset after",
  "lost reply",
  "delayed write",
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "TransactionConflictException",
  "InternalServerError before",
  "InternalServerError after",
] as const;
type Fault = (typeof FAULTS)[number];

/** The engine never sees the call. */
const NOT_FORWARDED = /before$|Exception$/;
/** The client waits in vain. */
const UNANSWERED: readonly Fault[] = ["delayed write", "lost reply"];

export interface FaultProxy {
  readonly endpoint: string;
  readonly faults: ReadonlyMap<string, number>;
  /** Passes everything from now on. Resolves when no call is running any more. */
  readonly calm: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface FaultProxyOptions {
  readonly target: string;
  readonly random: Random;
  /** Of each call. */
  readonly probability: number;
  /** The longest delay of a write. The shortest one is longer than its client waits. */
  readonly delayMs: { readonly least: number; readonly most: number };
}

/** Stands in front of an engine and damages a share of the calls on the wire. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { target, random, delayMs } = options;
  const faults = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  let probability = options.probability;

  const suffer = async (call: Call, fault: Fault) => {
    if (fault === "delayed write") await sleep(random.between(delayMs.least, delayMs.most));
    if (!NOT_FORWARDED.test(fault)) await forward(target, call);
    if (!UNANSWERED.includes(fault)) damage(call.outgoing, fault);
  };
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const call = { incoming, body: await buffer(incoming), outgoing };
    const fault = random.chance(probability) ? random.pick(FAULTS) : null;
    if (fault === null) return answer(outgoing, await forward(target, call));
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    return suffer(call, fault);
  };
  const server = createServer((incoming, outgoing) => {
    const work = handle(incoming, outgoing)
      .catch(() => void outgoing.destroy())
      .finally(() => underWay.delete(work));
    underWay.add(work);
  });
  const endpoint = await listen(server);
  return {
    endpoint,
    faults,
    calm: async () => {
      probability = 0;
      await Promise.all(underWay);
    },
    stop: () => close(server),
  };
}

interface Call {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

function forward(target: string, { incoming, body }: Call): Promise<Reply> {
  const { method, headers } = incoming;
  return new Promise((resolve, reject) => {
    const sent = request(target, { method, headers }, (reply) => {
      buffer(reply).then((bytes) => {
        resolve({ status: reply.statusCode ?? 502, headers: reply.headers, body: bytes });
      }, reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function answer(outgoing: ServerResponse, { status, headers, body }: Reply): void {
  outgoing.writeHead(status, headers).end(body);
}

function damage(outgoing: ServerResponse, fault: Fault): void {
  if (fault.startsWith("reset")) {
    outgoing.destroy();
    return;
  }
  const [name = ""] = fault.split(" ");
  const status = name === "InternalServerError" ? 500 : 400;
  const headers = { "content-type": "application/x-amz-json-1.0" };
  outgoing
    .writeHead(status, headers)
    .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: fault }));
}
