import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { fingerprint, formatApiKey } from "../../src/keys/api-key.ts";
import { type News, newsSchema, type Order } from "./stub-messages.ts";

/** Enough keys that none reaches its 120 requests a minute. */
const KEYS = 1_024;

export const ACCOUNT = "acct_0123456789abcdef01";

export type Behaviour = Omit<Extract<Order, { type: "behave" }>, "type">;

/** The stub backends, in their own process. */
export interface Stubs {
  /** The worker's variables that point to the stubs. */
  readonly vars: Readonly<Record<string, string>>;
  /** The API keys that the stubs know: all active, all of one account. */
  readonly keys: readonly string[];
  readonly behave: (behaviour: Partial<Behaviour>) => Promise<void>;
  readonly requests: () => Promise<News["requests"]>;
  readonly stop: () => Promise<void>;
}

const PLAIN: Behaviour = {
  storeDelayMs: 0,
  upstreamDelayMs: 0,
  upstreamBody: "{}",
  refusal: null,
};

export async function startStubs(): Promise<Stubs> {
  const child = fork(fileURLToPath(new URL("stubs-process.ts", import.meta.url)));
  const ask = async (order: Order) => {
    child.send(order);
    const [message]: unknown[] = await once(child, "message");
    return newsSchema.parse(message);
  };
  const known = await Promise.all(Array.from({ length: KEYS }, (_, index) => makeKey(index)));
  const items = Object.fromEntries(known.map(({ keyId, item }) => [keyId, item]));
  const { urls } = await ask({ type: "start", keys: items });
  return {
    vars: {
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "bench",
      ACCOUNTS_TABLE: "pmrs-accounts",
      API_KEYS_TABLE: "pmrs-api-keys",
      LEDGER_TABLE: "pmrs-ledger",
      DYNAMODB_ENDPOINT: urls.dynamodb,
      UPSTASH_REDIS_REST_URL: urls.upstash,
      UPSTASH_REDIS_REST_TOKEN: "bench",
      RESOLVE_WINDOW_MS: "120000",
      USER_AGENT: "bench/1",
      EGRESS_URL: urls.upstream,
    },
    keys: known.map(({ key }) => key),
    behave: async (behaviour) => {
      await ask({ type: "behave", ...PLAIN, ...behaviour });
    },
    requests: async () => (await ask({ type: "count" })).requests,
    stop: async () => {
      child.disconnect();
      await once(child, "exit");
    },
  };
}

async function makeKey(index: number) {
  const secret = new Uint8Array(32);
  new DataView(secret.buffer).setUint32(0, index);
  const key = formatApiKey(secret);
  const { keyId, keyHash } = await fingerprint(key);
  const item = JSON.stringify({
    key_id: { S: keyId },
    key_hash: { S: keyHash },
    account: { S: ACCOUNT },
    status: { S: "active" },
    label: { S: "bench" },
    last_characters: { S: key.slice(-4) },
    created_at: { S: "2026-11-01T00:00:00.000Z" },
    changed_at: { S: "2026-11-01T00:00:00.000Z" },
  });
  return { key, keyId, item };
}
