import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import type { Connection } from "../tables/tables.ts";
import { readTables, type TableInput, type Tables } from "../tables/template.ts";
import { LOCAL_CREDENTIALS, LOCAL_REGION, startDynamoDb } from "./dynamodb.ts";
import { type Example, loadExamples } from "./examples.ts";
import { close, listen } from "./loopback.ts";
import { openRedis } from "./redis/redis.ts";
import { startSampleGateway } from "./sample-gateway.ts";
import { StackError } from "./stack-error.ts";
import { holdStateFolder } from "./state.ts";
import { startUpstash } from "./upstash.ts";
import { type LocalWorker, startWorker } from "./worker.ts";

const LIMITER_TOKEN = "local";
const SAMPLES_WORKER = fileURLToPath(new URL("samples-worker.ts", import.meta.url));
export const SAMPLES_FOLDER = fileURLToPath(new URL("samples/", import.meta.url));

export interface StackOptions {
  /** Port of the worker. Without it, a free one is taken. */
  readonly port?: number | undefined;
  /** Where the state is kept, with `stack.json` for the tools. Without it, state is kept in memory. */
  readonly folder?: string | undefined;
  /** Deletes what earlier stacks kept in the folder. */
  readonly fresh?: boolean | undefined;
  /** Answers upstream requests from the samples. Overrides `egressUrl`. */
  readonly samples?: boolean | undefined;
  /** Gateway for upstream requests. */
  readonly egressUrl?: string | undefined;
  /** Redis server to use instead of the embedded one. */
  readonly redisUrl?: string | undefined;
  /**
   * Variables and secrets of the worker. They override those of the stack and of `wrangler.toml`.
   */
  readonly vars?: Readonly<Record<string, string>> | undefined;
  /** Whether a change of the source code restarts the worker. */
  readonly watch?: boolean | undefined;
  /** Called with each line that the worker or the stack prints. */
  readonly onLog: (line: string) => void;
}

/** The whole service on this machine. */
export interface Stack extends Pick<LocalWorker, "url" | "runCron" | "ended"> {
  /** For the operator's functions. */
  readonly connection: Connection;
  readonly dynamodbEndpoint: string;
  readonly upstashUrl: string;
  /** Address of the gateway that answers from the samples; null when it does not run. */
  readonly samplesUrl: string | null;
  /** Stops everything, in reverse order of its start. Safe to call more than once. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts everything, on the loopback address only.
 * @throws StackError if the port is taken or another stack uses the folder. After any exception
 * nothing is left running.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let next = stops.pop(); next !== undefined; next = stops.pop()) await next();
  };
  try {
    return { ...(await startParts(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Parts = Omit<Stack, "stop">;

/** Starts the parts in order. Each one adds its own stop to the list as soon as it runs. */
async function startParts(options: StackOptions, stops: (() => Promise<void>)[]): Promise<Parts> {
  const keep = <T extends { stop: () => Promise<void> }>(part: T): T => {
    stops.push(part.stop);
    return part;
  };
  if (options.port !== undefined && options.port !== 0) await assertFree(options.port);
  const state =
    options.folder === undefined
      ? null
      : await holdStateFolder(options.folder, options.fresh ?? false);
  if (state !== null) stops.push(state.release);

  const tables = await readTables();
  const dynamodb = keep(
    await startDynamoDb({ tables: Object.values(tables), folder: state?.tablesFolder }),
  );
  const redis = keep(await openRedis({ url: options.redisUrl }));
  const upstash = keep(await startUpstash({ redis, token: LIMITER_TOKEN }));
  const samples = options.samples ? keep(await startSamples(options.onLog)) : null;

  const connection = connectionTo(tables, dynamodb.endpoint);
  const worker = keep(
    await startWorker({
      port: options.port,
      watch: options.watch,
      onLog: options.onLog,
      entry: samples === null ? undefined : SAMPLES_WORKER,
      vars: {
        ...storeVars(connection, dynamodb.endpoint),
        UPSTASH_REDIS_REST_URL: upstash.url,
        UPSTASH_REDIS_REST_TOKEN: LIMITER_TOKEN,
        ...(samples !== null && (await sampleVars())),
        EGRESS_URL: samples?.url ?? options.egressUrl ?? "",
        ...options.vars,
      },
    }),
  );
  await state?.publish({ ...connection, url: worker.url, pid: process.pid });
  return {
    url: worker.url,
    runCron: worker.runCron,
    ended: worker.ended,
    connection,
    dynamodbEndpoint: dynamodb.endpoint,
    upstashUrl: upstash.url,
    samplesUrl: samples?.url ?? null,
  };
}

function connectionTo(tables: Tables<TableInput>, endpoint: string): Connection {
  return {
    region: LOCAL_REGION,
    endpoint,
    credentials: { ...LOCAL_CREDENTIALS },
    tables: {
      accounts: tables.accounts.TableName,
      apiKeys: tables.apiKeys.TableName,
      ledger: tables.ledger.TableName,
    },
  };
}

function storeVars({ region, tables }: Connection, endpoint: string): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    ACCOUNTS_TABLE: tables.accounts,
    API_KEYS_TABLE: tables.apiKeys,
    LEDGER_TABLE: tables.ledger,
    DYNAMODB_ENDPOINT: endpoint,
  };
}

/** The samples hold replies of the provider, which is asked only when there is a key. */
async function sampleVars(): Promise<Record<string, string>> {
  const examples = await loadExamples(SAMPLES_FOLDER);
  const urlOf = ({ body }: Example) => body.url;
  const posts = Map.groupBy(examples.posts, ({ body }) => body.service);
  const shown = {
    posts: Object.fromEntries([...posts].map(([service, of]) => [service, of.map(urlOf)])),
    errors: examples.errors.map(urlOf),
  };
  return { HIKERAPI_KEY: "sample", SAMPLES: JSON.stringify(shown) };
}

function startSamples(onLog: (line: string) => void) {
  return startSampleGateway({
    folder: SAMPLES_FOLDER,
    onMissing: (target) => onLog(`no sample for ${target}`),
  });
}

/** Checks the port first: the runtime reports a taken one late and at length. */
async function assertFree(port: number): Promise<void> {
  const probe = createServer();
  try {
    await listen(probe, port);
  } catch {
    throw new StackError(`Port ${port} cannot be used; choose another one with --port.`);
  }
  await close(probe);
}
