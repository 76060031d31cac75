import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
// Named below by their paths; imported so that the type check covers them.
import type {} from "./hostile.ts";
import type {} from "./recorded.ts";

/** For a slow machine: no claim is about time alone. */
const PATIENCE_MS = 30_000;

/** What concerns the worker runs in the worker's runtime; what runs on Node is tested on Node. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    projects: [
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        test: {
          name: "worker",
          include: ["test/**/*.test.ts"],
          exclude: ["test/infra/**"],
          globalSetup: ["test/recorded.ts", "test/hostile.ts"],
          testTimeout: PATIENCE_MS,
        },
      },
      {
        test: {
          name: "node",
          include: ["test/infra/**/*.test.ts"],
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
    ],
  },
});
