import { type Config, readConfig } from "../../src/config/config.ts";

/** Variables and secrets by name. Null for an unset one. */
export type Variables = Readonly<Record<string, string | number | null>>;

/** A configuration for tests. Its addresses lead nowhere. */
export function testSettings(variables: Variables = {}): Config {
  const named = {
    AWS_REGION: "test",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    ACCOUNTS_TABLE: "accounts",
    API_KEYS_TABLE: "keys",
    LEDGER_TABLE: "ledger",
    UPSTASH_REDIS_REST_URL: "https://limiter.example",
    UPSTASH_REDIS_REST_TOKEN: "test",
    RESOLVE_WINDOW_MS: "2000",
    USER_AGENT: "test/1",
    ...variables,
  };
  return readConfig(
    Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null)),
  );
}
