import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { close, listen } from "../../../infra/local/loopback.ts";
import { takeSeen } from "../../contract/watch.ts";
import config from "../../vitest.config.ts";
import { readImports } from "../rooms.ts";

/** Where the service answers in the tests, and that each of these places compares its answers. */

const imports = await readImports(["test"]);
const importersOf = (file: string) =>
  [...imports].filter(([, targets]) => targets.has(file)).map(([importer]) => importer);

const projectSchema = z.object({
  test: z.object({ name: z.string(), setupFiles: z.array(z.string()).default([]) }),
});
const configSchema = z.object({ test: z.object({ projects: z.array(projectSchema) }) });

describe("a response of the service", () => {
  it("is compared in every project whose tests run the service", () => {
    const { projects } = configSchema.parse(config).test;
    const setups = projects.map(({ test: { name, setupFiles } }) => [name, ...setupFiles]);
    const http = "test/contract/setup-http.ts";
    expect(setups).toEqual([
      ["worker", "test/contract/setup-worker.ts"],
      ["node", http],
      ["finance"],
      ["service", http],
      ["rules"],
      ["pages", http],
      // The clients there meet servers that fail on purpose.
      ["clients"],
      ["alone", http],
    ]);
  });

  it("comes in the worker's runtime only from where it is compared", () => {
    expect(importersOf("src/http/app.ts")).toEqual(["test/support/service.ts"]);
    expect(importersOf("src/index.ts")).toEqual(["test/worker/http/app.test.ts"]);
  });
});

describe("the global fetch", () => {
  /** Asks a server that answers like no service, at a path. */
  async function ask(path: string, headers: Record<string, string> = {}) {
    const server = createServer((_, response) => response.writeHead(410, headers).end("gone"));
    const url = await listen(server);
    try {
      return await fetch(new URL(path, url), { method: "POST" });
    } finally {
      await close(server);
    }
  }

  it("compares what comes from the endpoint, and what has a request id", async () => {
    expect(await (await ask("/v1/resolve")).text()).toBe("gone");
    await ask("/", { "X-Request-Id": "1" });
    const gone = "the status 410 is not documented";
    expect(takeSeen()).toEqual({ responses: 2, problems: [gone, gone] });
  });

  it("leaves other servers alone", async () => {
    await ask("/");
    expect(takeSeen()).toEqual({ responses: 0, problems: [] });
  });

  // Nothing in its body fails: the set-up of every test does.
  it.fails("fails the test that received something else", async () => {
    await ask("/v1/resolve");
  });
});
