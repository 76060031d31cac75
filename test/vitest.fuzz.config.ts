import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** `npm run fuzz`: in the worker's runtime, like the worker's tests. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
  test: {
    include: ["test/fuzz/fuzz.suite.ts"],
    setupFiles: ["test/contract/setup-worker.ts"],
    globalSetup: ["test/support/recorded.ts"],
    testTimeout: 0,
    // A test that has found nothing for hours is not hanging.
    teardownTimeout: 10_000,
  },
});
