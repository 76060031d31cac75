import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { LOCAL_REGION } from "../../infra/local/dynamodb.ts";
import { openRedis } from "../../infra/local/redis/redis.ts";
import { startSampleGateway } from "../../infra/local/sample-gateway.ts";
import { SAMPLES_FOLDER } from "../../infra/local/stack.ts";
import { startUpstash } from "../../infra/local/upstash.ts";
import { startWorker } from "../../infra/local/worker.ts";
import { showAccount } from "../../infra/ops/accounts.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { topUp } from "../../infra/ops/topup.ts";
import { take } from "../../infra/terminal/answer.ts";
import { startTables } from "../node/ops/engine.ts";
import { isSigned, openGate, type Verdict } from "./gates.ts";

/** A worker starts in seconds, and several start one after the other. */
const PATIENCE_MS = 90_000;

/** Follows infra/docs/secrets.md, against backends that know which secrets are valid. */

vi.setConfig({ testTimeout: PATIENCE_MS });

const page = await readFile("infra/docs/secrets.md", "utf8");
const commands = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = ""]) =>
  block
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== ""),
);

const OLD = { id: "AKIAOLD", secret: "old-secret" } as const;
const NEW = { id: "AKIANEW", secret: "new-secret" } as const;
const STORY = "https://www.instagram.com/stories/sample_account/3900000000000000101/";
const POST = "https://x.com/sample_account/status/1900000000000000102";

const NO_SUCH_KEY = { status: 401, body: '{"detail":"no such key"}' } as const;
const COBALT_FILE = {
  status: 200,
  body: '{"status":"tunnel","url":"https://cobalt.example/tunnel?id=1","filename":"a.mp4"}',
} as const;
const COBALT_REFUSAL = {
  status: 401,
  body: '{"status":"error","error":{"code":"error.api.auth.key.invalid"}}',
} as const;

/** What each backend accepts now. */
let awsKeys: Map<string, string>;
let tokens: Set<string>;
let providerKeys: Set<string>;
let cobaltKeys: Set<string>;

let tables: Awaited<ReturnType<typeof startTables>>;
let holder: { account: string; key: string };
let vars: Readonly<Record<string, string>>;
let dynamoUrl: string;
/** The version with the old secrets. */
let before: Awaited<ReturnType<typeof version>>;

type Stops = (() => Promise<void>)[];
const parts: Stops = [];
const workers: Stops = [];

async function stopAll(stops: Stops): Promise<void> {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
}

function keep<T extends { stop: () => Promise<void> }>(part: T): T {
  parts.push(part.stop);
  return part;
}

beforeAll(async () => {
  tables = keep(await startTables());
  const redis = keep(await openRedis());
  const upstash = keep(await startUpstash({ redis, token: "backend" }));
  const samples = keep(await startSampleGateway({ folder: SAMPLES_FOLDER, onMissing: () => {} }));
  const dynamoGate = keep(await dynamoBefore(tables.connection.endpoint ?? ""));
  const upstashGate = keep(await upstashBefore(upstash.url));
  const egress = keep(await providersBefore(samples.url));
  dynamoUrl = dynamoGate.url;
  vars = {
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: OLD.id,
    AWS_SECRET_ACCESS_KEY: OLD.secret,
    ACCOUNTS_TABLE: tables.connection.tables.accounts,
    API_KEYS_TABLE: tables.connection.tables.apiKeys,
    LEDGER_TABLE: tables.connection.tables.ledger,
    DYNAMODB_ENDPOINT: dynamoGate.url,
    UPSTASH_REDIS_REST_URL: upstashGate.url,
    UPSTASH_REDIS_REST_TOKEN: "old",
    EGRESS_URL: egress.url,
    HIKERAPI_KEY: "old",
    COBALT_URL: "https://cobalt.example",
    COBALT_API_KEY: "old",
    SOURCES: "microblog=cobalt",
  };
  holder = await seedDevAccount(tables.connection);
  const credits = { account: holder.account, kind: "grant", credits: 500, reference: "r" } as const;
  take(await topUp(tables.tables, credits));
  before = await version(parts);
}, PATIENCE_MS);

function dynamoBefore(target: string) {
  const refusal = { status: 400, body: '{"__type":"UnrecognizedClientException"}' };
  return openGate({
    target,
    judge: (request, body) => (isSigned(request, body, awsKeys) ? null : refusal),
  });
}

function upstashBefore(target: string) {
  return openGate({
    target,
    headers: { authorization: "Bearer backend" },
    judge: ({ headers }) =>
      tokens.has(headers.authorization ?? "") ? null : { status: 401, body: "{}" },
  });
}

/** The provider checks its key, then a sample answers; the own instance of cobalt answers here. */
function providersBefore(target: string) {
  return openGate({
    target,
    judge: ({ url, headers }) => {
      const asked = new URL(url ?? "/", target).searchParams.get("url") ?? "";
      if (asked.startsWith("https://api.hikerapi.com/")) {
        return judgeProvider(String(headers["x-access-key"]));
      }
      return asked.startsWith("https://cobalt.example/")
        ? judgeCobalt(String(headers.authorization))
        : null;
    },
  });
}

function judgeProvider(key: string): Verdict {
  return providerKeys.has(key) ? null : NO_SUCH_KEY;
}

function judgeCobalt(authorization: string): Verdict {
  return cobaltKeys.has(authorization) ? COBALT_FILE : COBALT_REFUSAL;
}

beforeEach(() => {
  awsKeys = new Map([[OLD.id, OLD.secret]]);
  tokens = new Set(["Bearer old"]);
  providerKeys = new Set(["old"]);
  cobaltKeys = new Set(["Api-Key old"]);
});

afterEach(() => stopAll(workers));
afterAll(() => stopAll(parts));

/** A version of the worker, deployed with other secrets. */
async function version(stops: Stops, secrets: Readonly<Record<string, string>> = {}) {
  const log: string[] = [];
  const worker = await startWorker({
    vars: { ...vars, ...secrets },
    onLog: (line) => void log.push(line),
  });
  stops.push(worker.stop);
  const ask = (body: object, key = holder.key) =>
    fetch(`${worker.url}/v1/resolve`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ max_results: 1, ...body }),
    });
  const post = (key?: string) => ask({ service: "microblog", url: POST }, key);
  const story = () => ask({ service: "photo-feed-story", url: STORY });
  return { log, post, story };
}

async function charged(): Promise<number> {
  let shown = take(await showAccount(tables.tables, holder.account));
  for (let tries = 0; shown.open_holds > 0 && tries < 500; tries++) {
    shown = take(await showAccount(tables.tables, holder.account));
  }
  return shown.charged;
}

const statusOf = async (reply: Promise<Response>) => (await reply).status;

describe("the worker's access key", () => {
  it("changes while requests go on, both halves in one version", async () => {
    expect(await statusOf(before.post())).toBe(200);
    awsKeys.set(NEW.id, NEW.secret);
    const after = await version(workers, {
      AWS_ACCESS_KEY_ID: NEW.id,
      AWS_SECRET_ACCESS_KEY: NEW.secret,
    });
    const both = [before.post(), after.post(), before.post(), after.post()];
    expect(await Promise.all(both.map(statusOf))).toEqual([200, 200, 200, 200]);
    awsKeys = new Map([[NEW.id, NEW.secret]]);
    expect(await statusOf(after.post())).toBe(200);
    expect(await statusOf(before.post())).toBe(502);
  });

  it("opens nothing while one half is old", async () => {
    awsKeys.set(NEW.id, NEW.secret);
    const spent = await charged();
    const half = await version(workers, { AWS_ACCESS_KEY_ID: NEW.id });
    expect(await statusOf(half.post())).toBe(502);
    expect(await charged()).toBe(spent);
  });
});

describe("the limiter's token", () => {
  it("is reset without a request that fails, and the limit is told again with the new one", async () => {
    const before = await version(workers);
    expect((await before.post()).headers.has("RateLimit")).toBe(true);
    tokens = new Set(["Bearer new"]);
    const without = await before.post();
    expect([without.status, without.headers.has("RateLimit")]).toEqual([200, false]);
    expect(before.log.join("\n")).toContain("limiter_unreachable");
    const after = await version(workers, { UPSTASH_REDIS_REST_TOKEN: "new" });
    const reply = await after.post();
    expect([reply.status, reply.headers.has("RateLimit")]).toEqual([200, true]);
  });
});

describe("a provider's key", () => {
  it("changes without a story that fails", async () => {
    expect(await statusOf(before.story())).toBe(200);
    providerKeys.add("new");
    const after = await version(workers, { HIKERAPI_KEY: "new" });
    expect(await Promise.all([before.story(), after.story()].map(statusOf))).toEqual([200, 200]);
    providerKeys.delete("old");
    expect(await statusOf(after.story())).toBe(200);
    const spent = await charged();
    expect([422, 502]).toContain(await statusOf(before.story()));
    expect(await charged()).toBe(spent);
  });

  it("of the own instance changes without a post that fails", async () => {
    expect(await statusOf(before.post())).toBe(200);
    cobaltKeys.add("Api-Key new");
    const after = await version(workers, { COBALT_API_KEY: "new" });
    expect(await Promise.all([before.post(), after.post()].map(statusOf))).toEqual([200, 200]);
    cobaltKeys.delete("Api-Key old");
    expect(await statusOf(after.post())).toBe(200);
    expect(await statusOf(before.post())).not.toBe(200);
  });
});

/** Runs one of the page's `npm run ops` lines with its placeholders filled in. */
async function ops(line: string, key: typeof OLD | typeof NEW = OLD, input = "") {
  const words = line.replace("npm run ops --", "node infra/ops/commands/main.ts --json");
  const env = {
    ...process.env,
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: key.id,
    AWS_SECRET_ACCESS_KEY: key.secret,
    AWS_ENDPOINT_URL_DYNAMODB: dynamoUrl,
  };
  const child = spawn("bash", ["-c", words], { env });
  child.stdin.end(input);
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { out, error, code };
}

describe("the operator's access key", () => {
  it("is replaced by a second one", async () => {
    const [check = ""] = commands.filter((line) => line.includes("tables check"));
    awsKeys.set(NEW.id, NEW.secret);
    expect(await ops(check, NEW)).toMatchObject({ code: 0, error: "" });
    awsKeys = new Map([[NEW.id, NEW.secret]]);
    expect(await ops(check, OLD)).toMatchObject({ code: 1, out: "" });
    expect(await ops(check, NEW)).toMatchObject({ code: 0 });
  });
});

describe("a customer's key", () => {
  const keySchema = z.object({ key_id: z.string(), status: z.string(), expires_at: z.string() });
  const listedSchema = z.object({ keys: z.array(keySchema) });
  const recordsSchema = z.object({ records: z.array(z.object({ key_id: z.string() })) });
  const lines = commands.filter((line) => /ops -- (key|usage) /.test(line));
  const [list = "", rotate = "", usage = "", revoke = "", find = ""] = lines;
  const fill = (line: string, oldKey = "") =>
    line.replace("<account>", holder.account).replace("<old key>", oldKey);
  const listed = async () => listedSchema.parse(JSON.parse((await ops(fill(list))).out)).keys;

  it("is replaced by a second one, step by step", async () => {
    expect(lines.map((line) => /ops -- (\w+ \w+)/.exec(line)?.[1])).toEqual([
      "key list",
      "key rotate",
      "usage list",
      "key revoke",
      "key find",
    ]);
    const [{ key_id: old } = { key_id: "" }] = await listed();
    const made = await ops(fill(rotate, old));
    const { key, key_id } = z
      .object({ key: z.string(), key_id: z.string() })
      .parse(JSON.parse(made.out));
    const both = await Promise.all([before.post(), before.post(key)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const ends = (await listed()).find((one) => one.key_id === old)?.expires_at ?? "";
    expect(both.map(({ headers }) => headers.get("x-api-key-expires"))).toEqual([
      new Date(ends).toUTCString(),
      null,
    ]);
    const { records } = recordsSchema.parse(JSON.parse((await ops(fill(usage))).out));
    expect(records.map((record) => record.key_id)).toEqual(expect.arrayContaining([old, key_id]));

    expect((await ops(fill(revoke, old))).code).toBe(0);
    expect(await Promise.all([before.post(), before.post(key)].map(statusOf))).toEqual([401, 200]);
  });

  it("that leaked is found by the key itself", async () => {
    const { out, error, code } = await ops(find, OLD, `${holder.key}\n`);
    expect({ error, code }).toEqual({ error: "", code: 0 });
    expect(JSON.parse(out)).toMatchObject({ account_id: holder.account, status: "revoked" });
  });
});

describe("the page", () => {
  it("has every secret of wrangler.toml", async () => {
    const wrangler = await readFile("wrangler.toml", "utf8");
    const listed = wrangler.slice(wrangler.indexOf("# Secrets, each set with"));
    const names = [...listed.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name);
    expect(names.length).toBeGreaterThanOrEqual(5);
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
  });

  it("gives commands that wrangler knows", async () => {
    const wrangler = commands.filter((line) => line.startsWith("npx wrangler"));
    expect(wrangler.length).toBeGreaterThanOrEqual(5);
    const names = new Set(wrangler.map((line) => /wrangler ((?:secret )?[a-z]+)/.exec(line)?.[1]));
    for (const name of names) {
      const child = spawn("npx", ["wrangler", ...String(name).split(" "), "--help"]);
      expect(await text(child.stdout)).toMatch(new RegExp(`^wrangler ${name}\\b`));
    }
  });

  it("names users that the template makes", async () => {
    const template = await readFile("infra/template.yaml", "utf8");
    const users = new Set([...page.matchAll(/--user-name <(\w+)>/g)].map(([, user]) => user));
    expect([...users].sort()).toEqual(["OperatorUser", "WorkerUser"]);
    for (const user of users) expect(template).toContain(`  ${user}:\n    Type: AWS::IAM::User`);
  });
});
