import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import * as z from "zod";
import { LOCAL_CREDENTIALS, LOCAL_REGION } from "../../infra/local/dynamodb.ts";
import { close, listen, readBody } from "../../infra/local/loopback.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { topUp } from "../../infra/ops/topup.ts";
import { openTables, type Tables } from "../../infra/tables/tables.ts";
import { readTables } from "../../infra/tables/template.ts";
import { SERVICES } from "../../src/contract/schemas.ts";
import { counterOf } from "../../src/credits/items.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import { startDynamoDbLocal } from "../backends/dynamodb/dynamodb-local.ts";
import type { Bench, Findings } from "./bench.ts";
import { applyLoad } from "./load.ts";
import { startRuntime } from "./runtime.ts";
import { calls, upstreamReply, WORKLOADS } from "./workload.ts";

const REQUESTS = 10;
const RELEASED_AFTER_MS = 200;

/** Capacity units of a request. */
export interface Units {
  readonly openHolds: number;
  readonly read: number;
  readonly write: number;
}

/** Read and write units of a successful request, as DynamoDB Local counts them. */
export async function measureUnits({ service, stubs }: Bench): Promise<Findings> {
  if (!hasJava()) return { figures: {}, lines: [["left out", "there is no Java"]], raw: null };
  const [units] = await countUnits({ service, stubs }, [0]);
  return {
    figures: { write_units: units?.write ?? Number.NaN, read_units: units?.read ?? Number.NaN },
    lines: [],
    raw: units,
  };
}

export function hasJava(): boolean {
  return spawnSync("java", ["-version"]).status === 0;
}

/** The same request with that many other open holds on the account. */
export async function countUnits(
  { service, stubs }: Pick<Bench, "service" | "stubs">,
  openHolds: readonly number[],
): Promise<Units[]> {
  const engine = await startDynamoDbLocal();
  const meter = await startMeter(engine.endpoint);
  const { accounts, apiKeys, ledger } = await readTables();
  const tables = openTables({
    region: LOCAL_REGION,
    endpoint: engine.endpoint,
    credentials: { ...LOCAL_CREDENTIALS },
    tables: { accounts: accounts.TableName, apiKeys: apiKeys.TableName, ledger: ledger.TableName },
  });
  const vars = {
    ...stubs.vars,
    // The engine keeps one database for each key and region.
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    DYNAMODB_ENDPOINT: meter.url,
  };
  const runtime = await startRuntime({ bundle: service, vars });
  try {
    const seed = await seedDevAccount({
      region: LOCAL_REGION,
      endpoint: engine.endpoint,
      credentials: { ...LOCAL_CREDENTIALS },
      tables: { accounts: tables.accounts, apiKeys: tables.apiKeys, ledger: tables.ledger },
    });
    const credits = { account: seed.account, kind: "purchase", credits: 100_000 } as const;
    await topUp(tables, { ...credits, reference: "bench" });
    await stubs.behave({ upstreamBody: upstreamReply() });
    const call = calls({ ...stubs, keys: [seed.key] }, WORKLOADS.resolve);
    // One at a time, each released before the next. Otherwise each would be an open hold for the
    // others.
    const send = async () => {
      const url = `${runtime.url}/v1/resolve`;
      await applyLoad({ url, call, requests: 1, concurrency: 1, status: 200 });
      await new Promise((wake) => setTimeout(wake, RELEASED_AFTER_MS));
    };
    const counted: Units[] = [];
    for (const count of openHolds) {
      await setHolds(tables, seed.account, count);
      counted.push({ openHolds: count, ...(await unitsARequest(meter, send)) });
    }
    return counted;
  } finally {
    tables.client.destroy();
    await runtime.stop();
    await meter.stop();
    await engine.stop();
  }
}

/** What one request takes, on average. */
async function unitsARequest(
  meter: Awaited<ReturnType<typeof startMeter>>,
  send: () => Promise<void>,
): Promise<Omit<Units, "openHolds">> {
  // The first request of an idle account also enters it in the sweep's index, once: one unit.
  await send();
  meter.reset();
  for (let request = 0; request < REQUESTS; request++) await send();
  const { read, write } = meter.units;
  return { read: read / REQUESTS, write: write / REQUESTS };
}

/** The attributes of an account with that many open holds of every service in turn. */
export function holdsOf(count: number): Item {
  const exp = { N: String(Date.now() + 180_000) };
  const services = Array.from({ length: count }, (_, at) => SERVICES[at % SERVICES.length] ?? "");
  const holds = services.map((service) => {
    const hold = { n: { N: "1" }, exp, nonce: { S: "abcdefgh" }, s: { S: service } };
    return [crypto.randomUUID(), { M: hold }] as const;
  });
  const counters = SERVICES.map((service) => {
    const open = services.filter((other) => other === service).length;
    return [counterOf(service), { N: String(open) }] as const;
  });
  return { holds: { M: Object.fromEntries(holds) }, ...Object.fromEntries(counters) };
}

/** Gives an account open holds of other running requests, each as long as a real one. */
async function setHolds(tables: Tables, account: string, count: number): Promise<void> {
  const attributes = Object.entries(holdsOf(count));
  await tables.dynamo.update({
    TableName: tables.accounts,
    Key: { account: { S: account } },
    UpdateExpression: `SET ${attributes.map(([name]) => `${name} = :${name}`).join(", ")}`,
    ConditionExpression: "attribute_exists(account)",
    ExpressionAttributeValues: Object.fromEntries(
      attributes.map(([name, value]) => [`:${name}`, value]),
    ),
  });
}

const replySchema = z.object({ ConsumedCapacity: z.object({ CapacityUnits: z.number() }) });

const askedSchema = z.record(z.string(), z.unknown());

/** Passes calls on and asks for what each consumes. */
async function startMeter(endpoint: string) {
  let units = { read: 0, write: 0 };
  const server = createServer((request, response) => {
    const target = String(request.headers["x-amz-target"]);
    const pass = async () => {
      const asked = askedSchema.parse(JSON.parse(await readBody(request)));
      const reply = await fetch(endpoint, {
        method: "POST",
        headers: {
          "content-type": "application/x-amz-json-1.0",
          "x-amz-target": target,
          "x-amz-date": String(request.headers["x-amz-date"]),
          authorization: String(request.headers.authorization),
        },
        body: JSON.stringify({ ...asked, ReturnConsumedCapacity: "TOTAL" }),
      });
      const text = await reply.text();
      const used =
        replySchema.safeParse(JSON.parse(text)).data?.ConsumedCapacity.CapacityUnits ?? 0;
      units[target.endsWith(".GetItem") ? "read" : "write"] += used;
      response.writeHead(reply.status).end(text);
    };
    void pass();
  });
  return {
    url: await listen(server),
    get units() {
      return units;
    },
    reset: () => {
      units = { read: 0, write: 0 };
    },
    stop: () => close(server),
  };
}
