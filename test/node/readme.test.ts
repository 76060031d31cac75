import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { LOCAL_CREDENTIALS, LOCAL_REGION } from "../../infra/local/dynamodb.ts";
import { type Stack, startStack } from "../../infra/local/stack.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { ERRORS } from "../../src/contract/errors.ts";
import { SERVICES } from "../../src/contract/schemas.ts";
import { blocksOf as markdownBlocksOf } from "./blocks.ts";
import { blocks as blocksOf, shell } from "./pages.ts";

/** Runs the README's commands, and compares its samples and tables with the project. */

const readme = await readFile("README.md", "utf8");
const lines = blocks("sh").flatMap(linesOf);
/** A diagram executes nothing. */
const DIAGRAM = "mermaid";
/** The lines of commands, and the other blocks, that a test below has executed. */
const executed = new Set<string>();

let stack: Stack;
let folder: string;

beforeAll(async () => {
  stack = await startStack({ samples: true, onLog: () => {} });
  folder = await mkdtemp(join(tmpdir(), "readme-"));
});

afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

function blocks(language: string): string[] {
  return blocksOf(readme, language);
}

/** The commands of a block, each on one line. */
function linesOf(block: string): string[] {
  return block.replaceAll("\\\n", "").split("\n");
}

function executes(...parts: readonly string[]): void {
  for (const part of parts) executed.add(part);
}

describe("the README", () => {
  it("shows a request and its real answer", async () => {
    const curl = blocks("sh").find((block) => block.startsWith("curl ")) ?? "";
    const [shown = ""] = blocks("json");
    const { key } = await seedDevAccount(stack.connection);
    const command = curl.replace("http://127.0.0.1:8787", stack.url);
    const { out } = await shell(command, { KEY: key });
    const request_id: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(out)).toEqual({ ...JSON.parse(shown), request_id });
    executes(...linesOf(curl), shown);
  });

  it("lists every error of the specification with its status", () => {
    const rows = [...readme.matchAll(/^\| +(\d{3}) \| `(\w+)` +\|/gm)];
    const listed = rows.map(([, status, code = ""]) => [code, Number(status)]);
    const others = ["NOT_FOUND", "METHOD_NOT_ALLOWED"];
    const known = Object.entries(ERRORS).map(([code, { status }]) => [code, status]);
    const byCode = ([a]: unknown[], [b]: unknown[]) => (String(a) < String(b) ? -1 : 1);
    expect(listed.sort(byCode)).toEqual(
      known.filter(([code]) => !others.includes(String(code))).sort(byCode),
    );
  });

  it("lists every service", () => {
    const rows = [...readme.matchAll(/^\| `([a-z-]+)` +\| `.*` +\| +\d \|$/gm)];
    expect(rows.map(([, service]) => service)).toEqual([...SERVICES]);
  });

  it("names secrets and variables that exist", async () => {
    const wrangler = await readFile("wrangler.toml", "utf8");
    const named = [...readme.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = ""]) => name);
    const own = named.filter((name) => !(name in ERRORS));
    expect(own.length).toBeGreaterThan(3);
    expect(own.filter((name) => !wrangler.includes(name))).toEqual([]);
  });

  it("explains every event that the worker logs", async () => {
    const files = (await readdir("src", { recursive: true })).filter((file) => /\.ts$/.test(file));
    const sources = await Promise.all(files.map((file) => readFile(join("src", file), "utf8")));
    const logged = [...sources.join().matchAll(/\bevent: "(\w+)"/g)].map(([, name]) => name);
    const [, table = ""] = /^\| event .*\n([\s\S]*?)\n\n/m.exec(readme) ?? [];
    const explained = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(explained.toSorted()).toEqual([...new Set(logged)].sort());
  });

  it("demonstrates the service with one command, which CI runs on a new machine", async () => {
    const [demo = "", test = ""] = lines;
    expect(await readFile(".ci/run", "utf8")).toContain(`\n${test}\n`);
    const preload = pathToFileURL(resolve("test/contract/preload.ts")).href;
    const env = { NODE_OPTIONS: `--import ${preload}` };
    const { out, error, code } = await shell(demo.replace("npm ci && ", ""), env);
    expect(error).toMatch(/^\d{2,} responses compared with the document\.$/m);
    expect({ code, last: out.trim().split("\n").at(-1) }).toMatchObject({
      code: 0,
      last: expect.stringContaining("Every answer was the documented one."),
    });
    executes(demo, test);
  });

  it("starts the service as the guide's first page does, which a test follows", async () => {
    const first = await readFile("infra/docs/guide/first-call.md", "utf8");
    const dev = lines.find((line) => line.startsWith("npm run dev")) ?? "";
    expect(blocksOf(first, "sh")[0]?.split("\n")).toContain(dev);
    executes(dev);
  });

  it("lists the options of npm run dev, all of them", async () => {
    const rows = [...readme.matchAll(/^\| `(--[a-z]+)/gm)].map(([, option]) => option);
    const { out } = await shell("npm run --silent dev -- --help");
    const known = [...out.matchAll(/^ {2}(--[a-z]+)/gm)].map(([, option]) => option);
    expect(rows).toEqual(known);
  });

  it("opens an account with commands that work as they stand there", async () => {
    const commands = lines.filter((line) => line.includes(" ops -- ") && !line.includes("--help"));
    expect(commands.length).toBe(4);
    let account = "";
    const said: string[] = [];
    for (const command of commands) {
      const env = {
        AWS_REGION: LOCAL_REGION,
        AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
        AWS_ENDPOINT_URL_DYNAMODB: stack.dynamodbEndpoint,
      };
      const { out, error, code } = await shell(command.replace("<id>", account), env);
      expect({ command, code, error }).toEqual({ command, code: 0, error: "" });
      account = /acct_\w+/.exec(out)?.[0] ?? account;
      said.push(out);
      executes(command);
    }
    expect(said[2]).toMatch(/svc_live_[0-9A-Za-z]{49}\b/);
    expect(said[3]).toContain("1020");
  });

  it("runs the canary on the list that it shows", async () => {
    const command = lines.find((line) => line.includes(" canary -- ")) ?? "";
    const [list = ""] = blocks("text");
    const file = join(folder, "posts.txt");
    await writeFile(file, list);
    const here = `${command.replace("posts.txt", file)} --json --egress ${stack.samplesUrl}`;
    const { out } = await shell(here, { HIKERAPI_KEY: "sample" });
    const row = z.looseObject({ service: z.string(), source: z.string() });
    const { rows } = z.object({ rows: z.array(row) }).parse(JSON.parse(out));
    const services = rows.filter(({ source }) => source === "").map(({ service }) => service);
    expect(services).toEqual(list.split("\n").map((line) => line.split(" ")[0]));
    executes(command, list);
  });

  it("deploys a template that has what the steps name", async () => {
    const [command = ""] = /aws cloudformation deploy[^`]*/.exec(readme) ?? [];
    const file = /--template-file\s+(\S+)/.exec(command)?.[1] ?? "";
    const template = z
      .object({
        Resources: z.record(z.string(), z.object({ Type: z.string() })),
        Outputs: z.record(z.string(), z.unknown()),
      })
      .parse(parse(await readFile(file, "utf8")));
    const types = Object.values(template.Resources).map(({ Type }) => Type);
    expect({ iam: types.includes("AWS::IAM::User"), command }).toMatchObject({
      iam: command.includes("--capabilities CAPABILITY_IAM"),
    });
    const outputs = [...readme.matchAll(/--user-name <(\w+)>/g)].map(([, name = ""]) => name);
    expect(outputs.filter((name) => !(name in template.Outputs))).toEqual([]);
    expect(outputs.length).toBe(1);
  });

  it("deploys no preview with a public address", async () => {
    const wrangler = await readFile("wrangler.toml", "utf8");
    expect(wrangler.match(/^preview_urls.*$/gm)).toEqual(["preview_urls = false"]);
  });

  it("ends a call that computes for more than a second", async () => {
    const wrangler = await readFile("wrangler.toml", "utf8");
    expect(wrangler).toMatch(/^\[limits\]\ncpu_ms = 1000$/m);
  });

  it("keeps files with secrets out of the history", async () => {
    const ignored = (await readFile(".gitignore", "utf8")).split("\n");
    const secret = [".env", ".env.*", ".dev.vars*", "*.pem"];
    expect(secret.filter((name) => !ignored.includes(name))).toEqual([]);
  });

  it("deploys what builds", async () => {
    const env = { WRANGLER_SEND_METRICS: "false", CI: "1" };
    const { out, code } = await shell("wrangler deploy --dry-run", env);
    expect({ code, done: out.includes("--dry-run: exiting now") }).toEqual({ code: 0, done: true });
    const secret = await shell("npx wrangler secret put --help", env);
    expect(secret).toMatchObject({ code: 0, out: expect.stringContaining("wrangler secret put") });
  });

  it("has no block of code that these tests do not execute", () => {
    const all = markdownBlocksOf("README.md", readme);
    const others = all.filter(({ language }) => language !== DIAGRAM);
    const parts = others.flatMap(({ language, text }) =>
      language === "sh" ? linesOf(text) : text,
    );
    expect(parts.length).toBeGreaterThan(9);
    expect(parts.filter((part) => !executed.has(part))).toEqual([]);
  });
});
