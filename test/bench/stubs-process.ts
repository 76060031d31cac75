/**
 * The process of the stub backends, which answer the worker at once or after a delay. It is a
 * process of its own, so that neither the load nor the worker waits for it.
 */
import { createServer, type IncomingMessage } from "node:http";
import { listen, readBody } from "../../infra/local/loopback.ts";
import { type BACKENDS, type News, type Order, orderSchema } from "./stub-messages.ts";

type Backend = (typeof BACKENDS)[number];

interface Answer {
  readonly status: number;
  readonly body: string;
}

const requests = { dynamodb: 0, upstash: 0, upstream: 0 };
let urls = { dynamodb: "", upstash: "", upstream: "" };
let keys: Readonly<Record<string, string>> = {};
let behaviour = { storeDelayMs: 0, upstreamDelayMs: 0, upstreamBody: "{}", refusal: "" };

/** Used requests of a window, and the limit, in the form of the limiter's script. */
const LIMITER_ANSWER = JSON.stringify({ result: [1, 120] });

/** What a reserve or a release returns of the account: what it has changed. */
const UPDATED = JSON.stringify({
  Attributes: {
    available: { N: "999980" },
    held: { N: "20" },
    charged: { N: "4" },
    low_balance: { N: "0" },
    open_microblog: { N: "1" },
    sweep: { S: "open" },
    holds: {
      M: {
        "019a3a5c-0000-7000-8000-000000000001": {
          M: { n: { N: "20" }, exp: { N: "1761912000000" }, nonce: { S: "AAAAAAAA" } },
        },
      },
    },
  },
});

const backends: Readonly<Record<Backend, (target: string, body: string) => Answer>> = {
  dynamodb: (target, body) => {
    if (target.endsWith(".GetItem")) {
      const item = keys[/"key_id":\{"S":"(\w+)"\}/.exec(body)?.[1] ?? ""];
      return { status: 200, body: item === undefined ? "{}" : `{"Item":${item}}` };
    }
    const { refusal } = behaviour;
    if (!target.endsWith(".UpdateItem")) return { status: 200, body: "{}" };
    if (refusal === "") return { status: 200, body: UPDATED };
    const type = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException";
    return {
      status: 400,
      body: `{"__type":"${type}","message":"The conditional request failed","Item":${refusal}}`,
    };
  },
  upstash: () => ({ status: 200, body: LIMITER_ANSWER }),
  upstream: () => ({ status: 200, body: behaviour.upstreamBody }),
};

async function answer(backend: Backend, request: IncomingMessage): Promise<Answer> {
  const arrivedMs = performance.now();
  requests[backend]++;
  const body = await readBody(request);
  const isStore = backend !== "upstream";
  const delayMs = isStore ? behaviour.storeDelayMs : behaviour.upstreamDelayMs;
  if (delayMs > 0) await until(arrivedMs + delayMs);
  return backends[backend](String(request.headers["x-amz-target"]), body);
}

/** Timers may fire a millisecond or two late, so the last milliseconds are waited for in a loop. */
async function until(endMs: number): Promise<void> {
  const restMs = endMs - performance.now() - 2;
  if (restMs > 0) await new Promise((wake) => setTimeout(wake, restMs));
  while (performance.now() < endMs) await new Promise((wake) => setImmediate(wake));
}

async function open(backend: Backend): Promise<string> {
  const server = createServer((request, response) => {
    void answer(backend, request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
  });
  server.keepAliveTimeout = 60_000;
  return listen(server);
}

async function obey(order: Order): Promise<News> {
  if (order.type === "start") {
    keys = order.keys;
    const [dynamodb, upstash, upstream] = await Promise.all([
      open("dynamodb"),
      open("upstash"),
      open("upstream"),
    ]);
    urls = { dynamodb, upstash, upstream };
  }
  if (order.type === "behave") behaviour = { ...order, refusal: order.refusal ?? "" };
  return { urls, requests };
}

process.on("message", (message) => {
  void obey(orderSchema.parse(message)).then((news) => process.send?.(news));
});
process.on("disconnect", () => process.exit(0));
