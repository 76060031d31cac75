import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { close, listen } from "../../../infra/local/loopback.ts";
import { type Stack, startStack } from "../../../infra/local/stack.ts";
import { resolveResponseSchema } from "../../../src/contract/schemas.ts";
import { toolPath } from "../../tools/install.ts";
import { newAccount } from "./account.ts";

/** The MCP server of the installed package, asked by the public SDK's client over stdio. */

const POST = "https://t.me/sample_channel/110";
const SERVER = join(inject("consumer"), "node_modules/.bin/public-media-mcp");

/** A process may take seconds to start on a machine with other work. */
const SLOW = { timeout: 20_000 };

const stops: (() => Promise<void>)[] = [];
let stack: Stack;
let folder = "";

beforeAll(async () => {
  stack = await startStack({ samples: true, onLog: () => undefined });
  stops.push(stack.stop);
  folder = await mkdtemp(join(tmpdir(), "mcp-"));
  stops.push(() => rm(folder, { recursive: true }));
});
afterAll(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});

const heardSchema = z.object({
  server: z.object({ name: z.string(), version: z.string() }),
  tools: z.array(
    z.object({
      name: z.string(),
      inputSchema: z.object({ properties: z.record(z.string(), z.unknown()) }),
      outputSchema: z.object({ type: z.literal("object") }),
    }),
  ),
  results: z.array(
    z.object({
      isError: z.boolean().optional(),
      content: z.array(z.object({ type: z.literal("text"), text: z.string() })),
      structuredContent: z.unknown().optional(),
    }),
  ),
  unknown: z.number(),
  complaints: z.string(),
});

/** Calls the tool once with each of the arguments. */
async function ask(env: Record<string, string>, ...calls: readonly object[]) {
  const list = join(folder, "calls.json");
  await writeFile(list, JSON.stringify(calls));
  const bin = dirname(await toolPath("attw"));
  const sdk = join(dirname(bin), "@modelcontextprotocol/sdk");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(inject("consumer"), "ask-mcp.mjs"), sdk, SERVER, list],
    { env: { PATH: process.env["PATH"], ...env } },
  );
  for (const secret of Object.values(env).filter((value) => value.startsWith("svc_"))) {
    expect(stdout).not.toContain(secret);
  }
  return heardSchema.parse(JSON.parse(stdout));
}

const environment = (key: string, baseUrl = stack.url) => ({
  PUBLIC_MEDIA_API_KEY: key,
  PUBLIC_MEDIA_BASE_URL: baseUrl,
});

describe("the MCP server", () => {
  it("offers one tool, and answers a call with the post, its price and what is left", async () => {
    const { key, balance } = await newAccount(stack);
    const heard = await ask(environment(key), { url: POST, max_results: 2 });
    expect(heard.server).toEqual({ name: "public-media", version: "1.0.0" });
    expect(heard.tools.map(({ name }) => name)).toEqual(["resolve_public_media"]);
    const properties = Object.keys(heard.tools[0]?.inputSchema.properties ?? {});
    expect(properties).toEqual(["url", "max_results", "service"]);
    const [result] = heard.results;
    const post = resolveResponseSchema.parse(result?.structuredContent);
    expect(post).toMatchObject({ item_count: 2, credits_used: 4 });
    expect(JSON.parse(result?.content[0]?.text ?? "")).toEqual(post);
    expect(result?.content[1]?.text).toBe("This call cost 4 credits. 16 credits are left.");
    expect(heard).toMatchObject({ unknown: -32_602, complaints: "" });
    expect(await balance()).toEqual({ available: 16, held: 0, charged: 4 });
  });

  it("answers what goes wrong as a tool's error, with advice, and charges nothing", async () => {
    const { key, balance } = await newAccount(stack);
    const { results } = await ask(
      environment(key),
      { url: "https://example.org/" },
      { url: POST, service: "pinboard" },
      { url: POST, max_results: 11 },
      { url: "https://t.me/sample_channel/404" },
      { url: POST, max_results: 21 },
      { url: POST, service: "photo" },
      { url: POST, key: "x" },
      {},
    );
    expect(results.every(({ isError }) => isError === true)).toBe(true);
    const texts = results.map(({ content }) => content.map(({ text }) => text).join());
    expect(texts).toEqual([
      expect.stringMatching(/^url: is not a supported URL; expected /),
      expect.stringMatching(
        /^URL_INVALID \(400\): url: is not a pinboard URL; .* correct the URL\. Request: \S+\.$/,
      ),
      expect.stringMatching(
        /^INSUFFICIENT_CREDITS \(402\): .* Ask for a lower max_results, or add credits/,
      ),
      expect.stringMatching(/^MEDIA_NOT_FOUND \(422\): .* Do not repeat the call/),
      "max_results: must be an integer from 1 to 20",
      expect.stringMatching(/^service: must be one of photo-feed, /),
      "arguments: only url, max_results and service are known",
      "url: must be a string",
    ]);
    expect(await balance()).toEqual({ available: 20, held: 0, charged: 0 });
  });

  it("says in the tool's error what is not configured", async () => {
    const text = async (env: Record<string, string>) =>
      (await ask(env, { url: POST })).results[0]?.content[0]?.text;
    expect(await text({})).toBe("The variable PUBLIC_MEDIA_API_KEY is not set.");
    expect(await text({ PUBLIC_MEDIA_API_KEY: "svc_live_a" })).toBe(
      "The variable PUBLIC_MEDIA_BASE_URL is not set.",
    );
    expect(await text(environment("svc_live_a", "http://api.example"))).toContain(
      "baseUrl: must be",
    );
    expect(await text(environment("svc_live_wrong"))).toMatch(/^API_KEY_INVALID \(401\)/);
  });
});

interface Spoken {
  readonly lines: Iterable<string> | AsyncIterable<string>;
  readonly answers: number;
  /** What must be so before the input ends. */
  readonly check?: () => Promise<unknown>;
}

/** Lines in, lines out. */
async function speak(env: Record<string, string>, { lines, answers, check }: Spoken) {
  const child = spawn(process.execPath, [SERVER], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], ...env },
  });
  for await (const line of lines) child.stdin.write(`${line}\n`);
  const heard: unknown[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (heard.push(JSON.parse(line)) === answers) break;
  }
  await check?.();
  child.stdin.end();
  const [code]: unknown[] = await once(child, "exit");
  expect(code).toBe(0);
  return heard;
}

const request = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

describe("the lines of the MCP server", () => {
  it("answer what is no request, and what it does not know, with JSON-RPC's codes", async () => {
    const lines = ["{", "[]", '{"jsonrpc":"1.0"}', "", '{"jsonrpc":"2.0","id":1,"result":{}}'];
    const others = ["x".repeat(300_000), request(2, "resources/list"), request(3, "ping")];
    const heard = await speak({}, { lines: [...lines, ...others], answers: 6 });
    expect(heard).toEqual([
      expect.objectContaining({ id: null, error: { code: -32_700, message: expect.any(String) } }),
      ...Array(3).fill(
        expect.objectContaining({
          id: null,
          error: { code: -32_600, message: expect.any(String) },
        }),
      ),
      expect.objectContaining({ id: 2, error: { code: -32_601, message: expect.any(String) } }),
      { jsonrpc: "2.0", id: 3, result: {} },
    ]);
  });

  it("go on with a revision that both know, else with the newest of this server", async () => {
    const begin = (id: number, protocolVersion: string) =>
      request(id, "initialize", { protocolVersion });
    const lines = [begin(1, "2025-06-18"), begin(2, "2025-11-25"), begin(3, "1999-01-01")];
    expect(await speak({}, { lines, answers: 3 })).toMatchObject(
      ["2025-06-18", "2025-11-25", "2025-11-25"].map((protocolVersion) => ({
        result: { protocolVersion, capabilities: { tools: {} } },
      })),
    );
  });

  it("end a call that the client has cancelled, and do not answer it", async () => {
    const state = { isAsked: false, isClosed: false };
    const server = createServer((request) => {
      state.isAsked = true;
      request.socket.on("close", () => {
        state.isClosed = true;
      });
    });
    const env = environment("svc_live_a", await listen(server));
    stops.push(() => close(server));
    async function* lines() {
      yield request(1, "tools/call", {
        ...{ name: "resolve_public_media", arguments: { url: POST } },
      });
      await expect.poll(() => state.isAsked, SLOW).toBe(true);
      const params = { requestId: 1 };
      yield JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
      yield request(2, "ping");
    }
    const check = () => expect.poll(() => state.isClosed, SLOW).toBe(true);
    expect(await speak(env, { lines: lines(), answers: 1, check })).toEqual([
      { jsonrpc: "2.0", id: 2, result: {} },
    ]);
  });
});
