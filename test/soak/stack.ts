import { createRandom, type Random } from "../../infra/finance/generate/random.ts";
import { LOCAL_CREDENTIALS, LOCAL_REGION, startDynamoDb } from "../../infra/local/dynamodb.ts";
import { openRedis } from "../../infra/local/redis/redis.ts";
import { startSampleGateway } from "../../infra/local/sample-gateway.ts";
import { SAMPLES_FOLDER } from "../../infra/local/stack.ts";
import { startUpstash } from "../../infra/local/upstash.ts";
import { openTables, type Tables } from "../../infra/tables/tables.ts";
import { readTables } from "../../infra/tables/template.ts";
import { type Bundle, build } from "../bench/build.ts";
import { type Runtime, startRuntime } from "../bench/runtime.ts";
import { type BadProxy, startBadProxy } from "./bad-proxy.ts";

const TOKEN = "local";
export const WINDOW_MS = 10_000;

/** What goes wrong just now. */
export interface Weather {
  probability: number;
  /** Part of the address of a platform that is down; null when none is. */
  down: string | null;
}

/** The service on this machine, with a bad proxy before each of its backends. */
export interface SoakStack {
  readonly tables: Tables;
  readonly random: Random;
  readonly weather: Weather;
  readonly proxies: Readonly<Record<"store" | "limiter" | "platforms", BadProxy>>;
  /** Lines that the runtime itself complained with. */
  readonly complaints: string[];
  readonly worker: () => Runtime;
  /** Kills the worker as a crash does, and starts the next one. */
  readonly crash: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Whatever runs is stopped in the reverse order of its start. */
export async function startSoakStack(seed: number): Promise<SoakStack> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (let next = stops.pop(); next !== undefined; next = stops.pop()) await next();
  };
  const keep = <T extends { stop: () => Promise<unknown> }>(part: T): T => {
    stops.push(part.stop);
    return part;
  };
  try {
    return await startParts(seed, keep, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

type Keep = <T extends { stop: () => Promise<unknown> }>(part: T) => T;

async function startParts(seed: number, keep: Keep, stop: () => Promise<void>): Promise<SoakStack> {
  const random = createRandom(seed);
  const weather: Weather = { probability: 0, down: null };
  const { accounts, apiKeys, ledger } = await readTables();
  const dynamodb = keep(await startDynamoDb({ tables: [accounts, apiKeys, ledger] }));
  const redis = keep(await openRedis());
  const upstash = keep(await startUpstash({ redis, token: TOKEN }));
  const gateway = keep(await startSampleGateway({ folder: SAMPLES_FOLDER, onMissing: () => {} }));
  const before = async (target: string) =>
    keep(
      await startBadProxy({
        target,
        random,
        probability: () => weather.probability,
        isDown: ({ url = "" }) => weather.down !== null && url.includes(weather.down),
      }),
    );
  const proxies = {
    store: await before(dynamodb.endpoint),
    limiter: await before(upstash.url),
    platforms: await before(gateway.url),
  };
  const names = {
    accounts: accounts.TableName,
    apiKeys: apiKeys.TableName,
    ledger: ledger.TableName,
  };
  const credentials = { ...LOCAL_CREDENTIALS };
  const tables = openTables({
    ...{ region: LOCAL_REGION, endpoint: dynamodb.endpoint, credentials },
    tables: names,
  });
  const vars = {
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ACCOUNTS_TABLE: names.accounts,
    API_KEYS_TABLE: names.apiKeys,
    LEDGER_TABLE: names.ledger,
    DYNAMODB_ENDPOINT: proxies.store.url,
    UPSTASH_REDIS_REST_URL: proxies.limiter.url,
    UPSTASH_REDIS_REST_TOKEN: TOKEN,
    RESOLVE_WINDOW_MS: String(WINDOW_MS),
    USER_AGENT: "soak/1",
    EGRESS_URL: proxies.platforms.url,
    HIKERAPI_KEY: "sample",
  };
  const worker = await startWorker(await build(), vars);
  keep({ stop: async () => worker.now().stop() });
  const parts = { tables, random, weather, proxies, complaints: worker.complaints };
  return { ...parts, worker: worker.now, crash: worker.crash, stop };
}

async function startWorker(bundle: Bundle, vars: Readonly<Record<string, string>>) {
  const complaints: string[] = [];
  const start = () =>
    startRuntime({ bundle, vars, onComplaint: (line) => void complaints.push(line) });
  let runtime = await start();
  const crash = async () => {
    await runtime.stop();
    runtime = await start();
  };
  return { now: () => runtime, crash, complaints };
}
