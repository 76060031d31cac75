import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { close, listen, readBody } from "../../../infra/local/loopback.ts";
import { type SampleGateway, startSampleGateway } from "../../../infra/local/sample-gateway.ts";
import { SAMPLES_FOLDER, type Stack, startStack } from "../../../infra/local/stack.ts";
import { showAccount } from "../../../infra/ops/accounts.ts";
import { seedDevAccount } from "../../../infra/ops/seed.ts";
import { listUsage } from "../../../infra/ops/usage.ts";
import { openTables, type Tables } from "../../../infra/tables/tables.ts";
import { take } from "../../../infra/terminal/answer.ts";
import { type FaultProxy, faultSchema, startFaultProxy } from "./fault-proxy.ts";

/** The whole service, a proxy with faults before it, and a server by which tests direct both. */
export interface Stage {
  /** The service behind the proxy. */
  readonly url: string;
  /** For tests in another language. */
  readonly controlUrl: string;
  /** An account with 20 credits. */
  readonly open: () => Promise<{ account: string; key: string }>;
  readonly stop: () => Promise<void>;
}

interface Parts {
  readonly stack: Stack;
  readonly tables: Tables;
  readonly proxy: FaultProxy;
  readonly platform: Platform;
}

export async function startStage(): Promise<Stage> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let next = stops.pop(); next !== undefined; next = stops.pop()) await next();
  };
  try {
    const samples = await startSampleGateway({ folder: SAMPLES_FOLDER, onMissing: () => {} });
    stops.push(samples.stop);
    const platform = await startPlatform(samples);
    stops.push(platform.stop);
    const stack = await startStack({ egressUrl: platform.url, onLog: () => {} });
    stops.push(stack.stop);
    const tables = openTables(stack.connection);
    stops.push(async () => tables.client.destroy());
    const proxy = await startFaultProxy(stack.url);
    stops.push(proxy.stop);
    const control = createServer(director({ stack, tables, proxy, platform }));
    stops.push(() => close(control));
    const open = () => seedDevAccount(stack.connection);
    return { url: proxy.url, controlUrl: await listen(control), open, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Platform {
  readonly url: string;
  readonly state: { delayMs: number };
  readonly stop: () => Promise<void>;
}

/** The samples, as late as a test wants. */
async function startPlatform(samples: SampleGateway): Promise<Platform> {
  const state = { delayMs: 0 };
  const handle = async ({ url = "/" }: IncomingMessage, response: ServerResponse) => {
    await sleep(state.delayMs);
    const reply = await fetch(samples.url + url);
    const type = reply.headers.get("content-type") ?? "text/plain";
    response.writeHead(reply.status, { "content-type": type }).end(await reply.text());
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  return { url: await listen(server), state, stop: () => close(server) };
}

const planSchema = z.object({ key: z.string(), faults: z.array(faultSchema) });
const delaySchema = z.object({ ms: z.int() });
const accountSchema = z.object({ account: z.string(), key: z.string() });
const spendSchema = z.object({ key: z.string(), requests: z.int() });

function director(parts: Parts) {
  const commands = commandsOf(parts);
  return (request: IncomingMessage, response: ServerResponse) => {
    const run = commands.get(request.url ?? "");
    const work = async () => {
      const done = await run?.(JSON.parse(await readBody(request)));
      response.writeHead(run === undefined ? 404 : 200).end(JSON.stringify(done ?? null));
    };
    work().catch((error: unknown) => response.writeHead(500).end(String(error)));
  };
}

type Command = (body: unknown) => Promise<unknown>;

/** By path. Each takes an object and answers with one. */
function commandsOf({ stack, tables, proxy, platform }: Parts): ReadonlyMap<string, Command> {
  return new Map<string, Command>([
    ["/open", () => seedDevAccount(stack.connection)],
    [
      "/plan",
      async (body) => {
        const { key, faults } = planSchema.parse(body);
        proxy.plan(key, faults);
      },
    ],
    [
      "/delay",
      async (body) => {
        platform.state.delayMs = delaySchema.parse(body).ms;
      },
    ],
    [
      "/look",
      async (body) => {
        const { account, key } = accountSchema.parse(body);
        return { ...(await standing(tables, account)), seen: proxy.seen(key) };
      },
    ],
    ["/spend", async (body) => spend(stack, spendSchema.parse(body))],
  ]);
}

const SETTLED_WITHIN_MS = 10_000;

/** Balances and records, once no request is under way. */
async function standing(tables: Tables, account: string) {
  const endMs = Date.now() + SETTLED_WITHIN_MS;
  let shown = take(await showAccount(tables, account));
  while (shown.open_holds > 0 && Date.now() < endMs) {
    await sleep(20);
    shown = take(await showAccount(tables, account));
  }
  const [from, to] = [new Date(Date.now() - 900_000), new Date(Date.now() + 60_000)];
  const { records } = take(await listUsage(tables, { account, from, to, limit: 100 }));
  const { available, held, charged } = shown;
  return { available, held, charged, paid: records.filter(({ charge }) => charge > 0).length };
}

/** Uses up a part of a key's requests a minute, with requests that are refused. */
async function spend({ url }: Stack, { key, requests }: z.infer<typeof spendSchema>) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  for (let sent = 0; sent < requests; sent++) {
    await (await fetch(`${url}/v1/resolve`, { method: "POST", headers, body: "{}" })).text();
  }
}
