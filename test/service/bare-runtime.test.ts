import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_CREDENTIALS, LOCAL_REGION, startDynamoDb } from "../../infra/local/dynamodb.ts";
import { close, listen } from "../../infra/local/loopback.ts";
import { openRedis } from "../../infra/local/redis/redis.ts";
import { SAMPLES_FOLDER } from "../../infra/local/stack.ts";
import { startUpstash } from "../../infra/local/upstash.ts";
import { showAccount } from "../../infra/ops/accounts.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { listUsage } from "../../infra/ops/usage.ts";
import { openTables } from "../../infra/tables/tables.ts";
import { readTables } from "../../infra/tables/template.ts";
import type { Answer } from "../../infra/terminal/answer.ts";
import { build } from "../bench/build.ts";
import { startRuntime } from "../bench/runtime.ts";
import { watch } from "../contract/watch.ts";

/**
 * The worker as it is deployed, in workerd without anything in front: only here does it see how a
 * client leaves. workerd reports a reset at once; of a client that merely ends its side it learns
 * nothing before it answers. What Cloudflare's edge reports can be seen only there.
 */

const PHOTOS = "https://x.com/sample_account/status/1900000000000000102";
const BODY = JSON.stringify({ service: "microblog", url: PHOTOS });
const UNTOUCHED = { available: 20, held: 0, charged: 0, open_holds: 0 };

const stops: (() => Promise<unknown>)[] = [];
/** Answers the platform's oldest request that waits. */
let answerPlatform: () => Promise<void>;
let url: URL;
let open: () => Promise<Awaited<ReturnType<typeof newClient>>>;

function take<T>(outcome: Answer<T>): T {
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}

function keep<T extends { stop: () => Promise<unknown> }>(part: T): T {
  stops.push(part.stop);
  return part;
}

async function startPlatform() {
  const photos = await readFile(`${SAMPLES_FOLDER}microblog-photos.json`, "utf8");
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => {
    waiting.push(response);
    server.emit("asked");
  });
  stops.push(() => close(server));
  answerPlatform = async () => {
    if (waiting.length === 0) await once(server, "asked");
    waiting.shift()?.end(photos);
  };
  const asked = async () => {
    if (waiting.length === 0) await once(server, "asked");
  };
  return { url: await listen(server), asked };
}

type Platform = Awaited<ReturnType<typeof startPlatform>>;

beforeAll(async () => {
  const platform = await startPlatform();
  const { accounts, apiKeys, ledger } = await readTables();
  const dynamodb = keep(await startDynamoDb({ tables: [accounts, apiKeys, ledger] }));
  const upstash = keep(await startUpstash({ redis: await openRedis({}), token: "test" }));
  const connection = {
    region: LOCAL_REGION,
    endpoint: dynamodb.endpoint,
    credentials: { ...LOCAL_CREDENTIALS },
    tables: { accounts: accounts.TableName, apiKeys: apiKeys.TableName, ledger: ledger.TableName },
  };
  const vars = {
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    ACCOUNTS_TABLE: accounts.TableName,
    API_KEYS_TABLE: apiKeys.TableName,
    LEDGER_TABLE: ledger.TableName,
    DYNAMODB_ENDPOINT: dynamodb.endpoint,
    UPSTASH_REDIS_REST_URL: upstash.url,
    UPSTASH_REDIS_REST_TOKEN: "test",
    USER_AGENT: "test/1",
    EGRESS_URL: platform.url,
  };
  url = new URL(keep(await startRuntime({ bundle: await build(), vars })).url);
  open = () => newClient(connection, platform);
}, 60_000);

afterAll(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});

async function newClient(connection: Parameters<typeof openTables>[0], { asked }: Platform) {
  const tables = openTables(connection);
  stops.push(async () => tables.client.destroy());
  const { account, key } = await seedDevAccount(connection);
  /** A connection on which a request has begun, with so much of its body. */
  const begin = async (body: string): Promise<Socket> => {
    const socket = connect(Number(url.port), url.hostname);
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(
      `POST /v1/resolve HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${body}`,
    );
    return socket;
  };
  const balance = async () => {
    const { available, held, charged, open_holds } = take(await showAccount(tables, account));
    return { available, held, charged, open_holds };
  };
  const usage = async () => {
    const [from, to] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 60_000)];
    return take(await listUsage(tables, { account, from, to, limit: 10 })).records;
  };
  return { begin, balance, usage, asked };
}

/** An answer as it came over the connection, whole and in one piece. */
function readResponse(text: string): Response {
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  return new Response(body, { status: Number(first.split(" ")[1]), headers });
}

describe("a client that leaves while the platform is asked", () => {
  it("by a reset is refunded at once, and once", async () => {
    const { begin, balance, usage, asked } = await open();
    const socket = await begin(BODY);
    await asked();
    expect(await balance()).toMatchObject({ held: 10, open_holds: 1 });
    socket.resetAndDestroy();
    await expect.poll(balance, { timeout: 5_000 }).toEqual(UNTOUCHED);
    await answerPlatform();
    expect(await usage()).toMatchObject([{ charge: 0, settled_by: "request" }]);
    expect(await balance()).toEqual(UNTOUCHED);
  });

  it("by closing in order is charged for what was found, and once", async () => {
    const { begin, balance, usage, asked } = await open();
    const socket = await begin(BODY);
    await asked();
    socket.destroy();
    await once(socket, "close");
    await answerPlatform();
    const charged = { available: 16, held: 0, charged: 4, open_holds: 0 };
    await expect.poll(balance, { timeout: 5_000 }).toEqual(charged);
    expect(await usage()).toMatchObject([{ charge: 4, settled_by: "request" }]);
  });
});

describe("a body that is not complete", () => {
  it.each(["resetAndDestroy", "destroy"] as const)(
    "because its client left (%s) reserves nothing",
    async (leave) => {
      const { begin, balance, usage } = await open();
      const socket = await begin(BODY.slice(0, 10));
      socket[leave]();
      await once(socket, "close");
      expect(await balance()).toEqual(UNTOUCHED);
      expect(await usage()).toEqual([]);
    },
  );

  it("after 10 seconds is answered 400", async () => {
    const { begin, balance } = await open();
    const beginMs = performance.now();
    const socket = await begin(BODY.slice(0, 10));
    const [answer]: unknown[] = await once(socket, "data");
    const waitedMs = performance.now() - beginMs;
    socket.destroy();
    await watch("POST", readResponse(String(answer)));
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
    expect(String(answer)).toContain("body: must be complete within 10 s");
    expect(waitedMs).toBeGreaterThan(9_900);
    expect(waitedMs).toBeLessThan(15_000);
    expect(await balance()).toEqual(UNTOUCHED);
  });
});
