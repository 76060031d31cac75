import { v7 as uuidv7 } from "uuid";
import type { Config } from "./config/config.ts";
import { HOLD_GRACE_MS, STORE_TIMEOUT_MS } from "./credits/limits.ts";
import { upstashLimiter } from "./limiter/upstash.ts";
import { RESOLVERS } from "./platforms/registry.ts";
import type { Collaborators } from "./resolve.ts";
import type { Timer } from "./search/attempt.ts";
import { openBreaker } from "./search/breaker.ts";
import { orderSources, unconfigured } from "./search/source-order.ts";
import { openDynamo } from "./store/dynamodb.ts";
import { createDynamoClient } from "./store/dynamodb-client.ts";

/**
 * Makes the real collaborators from the configuration.
 * @throws Error that says which variable is not usable
 */
export function assemble(config: Config): Collaborators {
  const now = () => Date.now();
  const client = createDynamoClient({
    region: config.AWS_REGION,
    credentials: {
      accessKeyId: config.AWS_ACCESS_KEY_ID,
      secretAccessKey: config.AWS_SECRET_ACCESS_KEY,
    },
    ...(config.DYNAMODB_ENDPOINT !== null && { endpoint: config.DYNAMODB_ENDPOINT }),
  });
  sayWhatIsMissing(config);
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
      random: Math.random,
      nonce,
      holdLifeMs: config.RESOLVE_WINDOW_MS + HOLD_GRACE_MS,
      log,
    },
    resolvers: orderSources(RESOLVERS, config),
    breaker: openBreaker({ now, log }),
    fetch: (input, init) => fetch(input, init),
    settings: config,
    now,
    timer,
    requestId: () => uuidv7(),
    log,
  };
}

const timer: Timer = (delayMs, ring) => {
  const pending = setTimeout(ring, delayMs);
  return () => clearTimeout(pending);
};

/** Once for each isolate, and for each service that can answer nothing but a refusal. */
function sayWhatIsMissing(config: Config): void {
  for (const { service, configure } of unconfigured(RESOLVERS, config)) {
    log({ event: "service_without_source", service, configure });
  }
}

/** 48 random bits, 8 characters: only the attempts of one request must differ. */
function nonce(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(6))));
}

function log(entry: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify(entry));
}
