import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
// Named below by their paths; imported so that the type check covers them.
import type {} from "./support/hostile-gateway.ts";
import type {} from "./support/recorded.ts";

/** For a slow machine: no claim is about time alone. */
const PATIENCE_MS = 30_000;

const NODE = ["test/{node,backends,model,simulation}/**/*.test.ts"];
const SERVICE = ["test/service/**/*.test.ts"];

/** What concerns the worker runs in the worker's runtime; what runs on Node is tested on Node. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    projects: [
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        test: {
          name: "worker",
          // The claims share no state: one runtime for all files saves two thirds of their time.
          isolate: false,
          include: ["test/worker/**/*.test.ts"],
          globalSetup: ["test/support/recorded.ts", "test/support/hostile-gateway.ts"],
          testTimeout: PATIENCE_MS,
        },
      },
      {
        test: {
          name: "node",
          include: NODE,
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        // After the others, one file at a time: what a burst of requests comes to depends on the load.
        test: {
          name: "service",
          include: SERVICE,
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
          fileParallelism: false,
          // As Node itself reads the packages in CommonJS that start processes.
          deps: { interopDefault: false },
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
