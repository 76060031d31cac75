import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
// The configuration below names these files by path; the imports make the type check cover them.
import type {} from "./support/hostile-gateway.ts";
import type {} from "./support/recorded.ts";

const ROOT = new URL("..", import.meta.url).pathname;
// Node keeps what it has compiled, for the hundreds of processes that the tests start.
process.env["NODE_COMPILE_CACHE"] ??= `${ROOT}node_modules/.cache/node`;

/** For slow machines: no test claims anything about time alone. */
const PATIENCE_MS = 30_000;

const NODE = ["test/{node,backends,model,simulation}/**/*.test.ts"];
/** Rules of the code, for `npm run lint`. */
const RULES = ["test/node/{any,house-rules,expressions,rooms}.test.ts"];
/** Everything that the pages show, executed: `npm run test:pages`. */
const PAGES = [
  "test/node/{readme,docs,renditions,eighth-service,finance/readme}.test.ts",
  "test/service/secrets.test.ts",
  "test/pages/*.test.ts",
];
/** Whole months, generated and closed: `npm run test:finance`. */
const FINANCE = ["test/node/finance/{athena,money,money-files,report,seal,trust}.test.ts"];
/** What these find out depends on how loaded the machine is. */
const ALONE = ["test/service/{service,keyed}.test.ts"];

/** The worker's tests run in the worker's runtime; tests of Node code run on Node. */
export default defineConfig({
  root: ROOT,
  test: {
    // Vitest leaves one processor idle by itself: half of a machine with two.
    maxWorkers: "100%",
    reporters: ["default", "./test/contract/reporter.ts"],
    projects: [
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        test: {
          name: "worker",
          // The tests share no state, so one runtime for all files is safe and saves two thirds of
          // the time.
          isolate: false,
          include: ["test/worker/**/*.test.ts"],
          setupFiles: ["test/contract/setup-worker.ts"],
          globalSetup: ["test/support/recorded.ts", "test/support/hostile-gateway.ts"],
          testTimeout: PATIENCE_MS,
        },
      },
      {
        test: {
          name: "node",
          setupFiles: ["test/contract/setup-http.ts"],
          include: NODE,
          exclude: [...RULES, ...PAGES, ...FINANCE],
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        test: {
          name: "finance",
          include: FINANCE,
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        test: {
          name: "service",
          setupFiles: ["test/contract/setup-http.ts"],
          include: ["test/service/**/*.test.ts"],
          exclude: [...ALONE, ...PAGES],
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
          // As Node itself reads the packages in CommonJS that start processes.
          deps: { interopDefault: false },
        },
      },
      {
        test: {
          name: "rules",
          include: RULES,
          testTimeout: 2 * PATIENCE_MS,
          hookTimeout: 2 * PATIENCE_MS,
        },
      },
      {
        test: {
          name: "pages",
          setupFiles: ["test/contract/setup-http.ts"],
          include: PAGES,
          testTimeout: 2 * PATIENCE_MS,
          hookTimeout: 2 * PATIENCE_MS,
          deps: { interopDefault: false },
        },
      },
      {
        test: {
          name: "clients",
          include: ["test/clients/**/*.test.ts"],
          globalSetup: ["test/clients/typescript/setup.ts"],
          testTimeout: 4 * PATIENCE_MS,
          hookTimeout: 4 * PATIENCE_MS,
          deps: { interopDefault: false },
        },
      },
      {
        // After the others, one file at a time.
        test: {
          name: "alone",
          setupFiles: ["test/contract/setup-http.ts"],
          include: ALONE,
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
          fileParallelism: false,
          deps: { interopDefault: false },
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
