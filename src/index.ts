import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { v7 as uuidv7 } from "uuid";
import { createApp } from "./app.ts";
import { type Config, readConfig } from "./config.ts";
import { HOLD_GRACE_MS, STORE_TIMEOUT_MS } from "./credits/limits.ts";
import { sweep } from "./credits/sweep.ts";
import { openDynamo } from "./dynamodb.ts";
import { upstashLimiter } from "./limiter/upstash.ts";
import type { Collaborators } from "./resolve.ts";

/** What one isolate builds once and every request of it shares. */
interface Service {
  readonly collaborators: Collaborators;
  readonly app: ReturnType<typeof createApp>;
}

let service: Service | undefined;

function open(env: unknown): Service {
  if (service === undefined) {
    const collaborators = assemble(readConfig(env));
    service = { collaborators, app: createApp(collaborators) };
  }
  return service;
}

export default {
  fetch(request, env, context) {
    const response = Promise.resolve(open(env).app.fetch(request, env, context));
    // A client that goes away must not end the request: it has credits to give back.
    context.waitUntil(response);
    return response;
  },

  async scheduled(_event, env) {
    const { ledger, log } = open(env).collaborators;
    log({ event: "sweep", ...(await sweep(ledger)) });
  },
} satisfies ExportedHandler;

function assemble(config: Config): Collaborators {
  const now = () => Date.now();
  const client = new DynamoDBClient({
    region: config.AWS_REGION,
    credentials: {
      accessKeyId: config.AWS_ACCESS_KEY_ID,
      secretAccessKey: config.AWS_SECRET_ACCESS_KEY,
    },
    ...(config.DYNAMODB_ENDPOINT !== null && { endpoint: config.DYNAMODB_ENDPOINT }),
    maxAttempts: 1,
  });
  const dynamo = openDynamo(client, () => AbortSignal.timeout(STORE_TIMEOUT_MS));
  return {
    dynamo,
    apiKeysTable: config.API_KEYS_TABLE,
    limiter: upstashLimiter({
      url: config.UPSTASH_REDIS_REST_URL,
      token: config.UPSTASH_REDIS_REST_TOKEN,
      now,
      onUnreachable: (cause) => log({ event: "limiter_unreachable", cause: cause.slice(0, 200) }),
    }),
    ledger: {
      dynamo,
      accountsTable: config.ACCOUNTS_TABLE,
      ledgerTable: config.LEDGER_TABLE,
      now,
      sleep: (delayMs) => new Promise((wake) => setTimeout(wake, delayMs)),
      nonce,
      holdLifeMs: config.RESOLVE_WINDOW_MS + HOLD_GRACE_MS,
      log,
    },
    fetch: (input, init) => fetch(input, init),
    userAgent: config.USER_AGENT,
    egressUrl: config.EGRESS_URL,
    resolveWindowMs: config.RESOLVE_WINDOW_MS,
    now,
    requestId: () => uuidv7(),
    log,
  };
}

/** 48 random bits, 8 characters: only the attempts of one request must differ. */
function nonce(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(6))));
}

function log(entry: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify(entry));
}
