import { type Config, readConfig } from "../../src/config/config.ts";

/** A configuration for tests; nothing in it reaches anybody. */
export function testSettings(overrides: Partial<Config> = {}): Config {
  const settings = readConfig({
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
  });
  return { ...settings, ...overrides };
}
