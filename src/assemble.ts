import { v7 as uuidv7 } from "uuid";
import type { Config } from "./config/config.ts";
import { HOLD_GRACE_MS, STORE_TIMEOUT_MS } from "./credits/limits.ts";
import { authenticator } from "./credits/record-mac.ts";
import { openKeyMemory } from "./keys/key-memory.ts";
import { type AddressBinding, openAddressLimiter } from "./limiter/address.ts";
import { GATEWAY_LIMIT, REPLAY_LIMIT } from "./limiter/limiter.ts";
import { upstashLimiter } from "./limiter/upstash.ts";
import { openLog } from "./log/log.ts";
import { createResolvers } from "./platforms/registry.ts";
import type { Collaborators } from "./resolve.ts";
import { timer } from "./runtime/timer.ts";
import { openBreaker } from "./search/breaker.ts";
import { setHedgeDelays } from "./search/hedge-delay.ts";
import { orderSources, type Resolvers, unconfigured } from "./search/source-order.ts";
import { openDynamo } from "./store/dynamodb.ts";
import { createDynamoClient } from "./store/dynamodb-client.ts";

/**
 * Makes the real collaborators from the configuration.
 * @param addressBinding Cloudflare's counter of client addresses, where there is one
 * @throws Error that says which variable is not usable
 */
export function assemble(config: Config, addressBinding: AddressBinding | null): Collaborators {
  const now = () => Date.now();
  const { store, credits, limiter, search } = config;
  const client = createDynamoClient({
    region: store.AWS_REGION,
    credentials: {
      accessKeyId: store.AWS_ACCESS_KEY_ID,
      secretAccessKey: store.AWS_SECRET_ACCESS_KEY,
    },
    ...(store.DYNAMODB_ENDPOINT !== null && { endpoint: store.DYNAMODB_ENDPOINT }),
  });
  const resolvers = createResolvers(config.platforms);
  sayWhatIsMissing(resolvers, search.SOURCES);
  const upstash = {
    url: limiter.UPSTASH_REDIS_REST_URL,
    token: limiter.UPSTASH_REDIS_REST_TOKEN,
    now,
    onUnreachable: (cause: string) => log({ event: "limiter_unreachable", cause }),
  };
  const dynamo = openDynamo(client, () => AbortSignal.timeout(STORE_TIMEOUT_MS));
  return {
    dynamo,
    apiKeysTable: store.API_KEYS_TABLE,
    limiter: upstashLimiter({ ...upstash, limit: GATEWAY_LIMIT }),
    replays: upstashLimiter({ ...upstash, limit: REPLAY_LIMIT }),
    addressLimiter: openAddressLimiter(addressBinding, now),
    keyMemory: openKeyMemory(now),
    ledger: {
      dynamo,
      accountsTable: store.ACCOUNTS_TABLE,
      ledgerTable: store.LEDGER_TABLE,
      authenticate: authenticator(credits.LEDGER_MAC_KEY),
      now,
      sleep: (delayMs) => new Promise((wake) => setTimeout(wake, delayMs)),
      random: Math.random,
      nonce,
      holdLifeMs: search.RESOLVE_WINDOW_MS + HOLD_GRACE_MS,
      log,
    },
    resolvers: setHedgeDelays(orderSources(resolvers, search.SOURCES), search.HEDGE_DELAYS),
    breaker: openBreaker({ now, log }),
    fetch: (input, init) => fetch(input, init),
    settings: search,
    now,
    timer,
    requestId: () => uuidv7(),
    log,
  };
}

/**
 * Logs, once for each isolate, the services that can only refuse, and what to configure for them.
 */
function sayWhatIsMissing(resolvers: Resolvers, orders: string | null): void {
  for (const { service, configure } of unconfigured(resolvers, orders)) {
    log({ event: "service_without_source", service, configure });
  }
}

/** 48 random bits, 8 characters. Only the attempts of one request need to differ. */
function nonce(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(6))));
}

const log = openLog((line) => console.log(line));
