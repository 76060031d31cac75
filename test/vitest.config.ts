import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

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
        },
      },
      {
        test: { name: "node", include: ["test/infra/**/*.test.ts"] },
      },
    ],
  },
});
