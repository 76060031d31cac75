import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { close, listen } from "../../../infra/local/loopback.ts";
import { type Stack, startStack } from "../../../infra/local/stack.ts";
import { startWorker } from "../../../infra/local/worker.ts";
import { shell } from "../../node/pages.ts";
import { toolPath } from "../../tools/install.ts";
import { newAccount } from "./account.ts";
import { generateTypes, TYPES_FILE } from "./types.ts";

/** The package as it is packed and installed, in every runtime that it is for. */

const execute = promisify(execFile);
const consumer = inject("consumer");
const TSC = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")));

const stops: (() => Promise<void>)[] = [];
let stack: Stack;
let mediaUrl = "";
let folder = "";

beforeAll(async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "image/jpeg" }).end("a photo");
  });
  stops.push(() => close(server));
  mediaUrl = await listen(server);
  stack = await startStack({ samples: true, onLog: () => undefined });
  stops.push(stack.stop);
  folder = await mkdtemp(join(tmpdir(), "downloads-"));
  stops.push(() => rm(folder, { recursive: true }));
});
afterAll(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});

/** What the program finds in every runtime. */
const FOUND = {
  items: ["image", "image"],
  credits: [
    { charged: 2, available: 118 },
    { charged: 0, available: null },
  ],
  replays: [false, true, true],
  many: [
    [0, 4],
    [1, "MediaNotFoundError"],
    [2, "UnrecognizedUrlError"],
  ],
  refused: [true, "UrlInvalidError", 400],
  recognized: {
    ...{ ok: true, service: "photo-feed", url: "https://www.instagram.com/p/CSampleCar1/" },
    ...{ creditsPerItem: 1, isShortLink: false },
  },
  expires: "2027-01-15T08:00:00.000Z",
  download: { sizeBytes: 7, contentType: "image/jpeg" },
};

const RUN: Readonly<Record<string, readonly string[]>> = {
  deno: ["run", "--allow-net=127.0.0.1", "--allow-env", "--allow-read", `--allow-write`],
  bun: ["run"],
};

/** A Node that the machine has beside the one of this project: often an older one. */
const machinesNode = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((part) => !part.includes("node_modules"))
  .map((part) => join(part, "node"))
  .find((path) => existsSync(path));

async function runIn(runtime: string, path: string): Promise<unknown> {
  const { key, balance } = await newAccount(stack, { bought: 100 });
  const env = {
    ...{ PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    ...{ BASE_URL: stack.url, API_KEY: key, MEDIA_URL: mediaUrl, MEDIA_PATH: path },
  };
  const command = RUN[runtime] === undefined ? runtime : await toolPath(runtime);
  const words = [...(RUN[runtime] ?? []), "main.mjs"];
  const { stdout, stderr } = await execute(command, words, { cwd: consumer, env });
  expect(stdout + stderr).not.toContain(key);
  // Two photos at 1 credit, four items of an album at 2.
  expect(await balance()).toEqual({ available: 110, held: 0, charged: 10 });
  return JSON.parse(stdout);
}

describe("the installed package", () => {
  it("has no dependency, and nothing but what it needs", async () => {
    const installed = join(consumer, "node_modules");
    const others = (await readdir(installed)).filter((name) => !name.startsWith("."));
    expect(others).toEqual(["public-media-client"]);
    const files = await readdir(join(installed, "public-media-client"), { recursive: true });
    const unexpected = files.filter(
      (file) => !/^(?:dist(?:\/.*)?|package\.json|README\.md)$/.test(file),
    );
    expect(unexpected).toEqual([]);
    const text = await readFile(join(installed, "public-media-client/package.json"), "utf8");
    const manifest: unknown = JSON.parse(text);
    const root: unknown = JSON.parse(await readFile("package.json", "utf8"));
    expect(manifest).toEqual(expect.not.objectContaining({ dependencies: expect.anything() }));
    const licensed = z.object({ license: z.string() });
    expect(licensed.parse(manifest)).toEqual(licensed.parse(root));
  });

  it.each(["deno", "bun", process.execPath])("does the same in %s", async (runtime) => {
    const path = join(folder, `photo-${runtime.replaceAll("/", "-")}`);
    expect(await runIn(runtime, path)).toEqual(FOUND);
    expect(await readFile(path, "utf8")).toBe("a photo");
  });

  it.skipIf(machinesNode === undefined)(`does the same in the Node of the machine`, async () => {
    const path = join(folder, "photo");
    expect(await runIn(machinesNode ?? "", path)).toEqual(FOUND);
    expect(await readFile(path, "utf8")).toBe("a photo");
  });

  it("does the same in a Worker, without a file", async () => {
    const { key, balance } = await newAccount(stack, { bought: 100 });
    const entry = join(consumer, "worker.mjs");
    const worker = await startWorker({ entry, vars: {}, onLog: () => undefined });
    stops.push(worker.stop);
    const given = { baseUrl: stack.url, apiKey: key, mediaUrl, path: null };
    const reply = await fetch(worker.url, { method: "POST", body: JSON.stringify(given) });
    expect(await reply.json()).toEqual(FOUND);
    expect(await balance()).toEqual({ available: 110, held: 0, charged: 10 });
  });

  it("types the programs that use it, under the strictest settings, also its own files", async () => {
    const options = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
    const modules = ["--module", "nodenext", "--lib", "es2022,dom,dom.asynciterable"];
    const javaScript = ["--allowJs", "--checkJs", "--noEmit", "--types", "''"];
    const words = [TSC, ...options, ...modules, ...javaScript, "run.mjs"];
    const command = [process.execPath, ...words].join(" ");
    expect(await shell(`cd ${consumer} && ${command}`)).toEqual({ out: "", error: "", code: 0 });
  });

  it("lets publint and attw find nothing", async () => {
    const tarball = inject("tarball");
    const publint = await execute(await toolPath("publint"), ["run", tarball, "--strict"]);
    expect(publint.stdout).toContain("All good!");
    // The package is for modules alone.
    await execute(await toolPath("attw"), [tarball, "--profile", "esm-only"]);
  });
});

describe("the types of the contract", () => {
  it("come from the OpenAPI document; `npm run clients:types` writes them", async () => {
    const target = join(folder, "openapi.ts");
    await generateTypes(target);
    expect(await readFile(TYPES_FILE, "utf8")).toBe(await readFile(target, "utf8"));
  });
});
