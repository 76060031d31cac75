import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportToCloud } from "../../../infra/finance/export/cloud.ts";
import { exportLocal } from "../../../infra/finance/export/local.ts";
import { createRandom, type Random } from "../../../infra/finance/generate/random.ts";
import { close, listen } from "../../../infra/local/loopback.ts";
import { topUp } from "../../../infra/ops/topup.ts";
import { answer } from "../../../infra/terminal/answer.ts";
import type { Ledger } from "../../../src/credits/ledger.ts";
import { authenticator } from "../../../src/credits/record-mac.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import { begin, isAlone } from "../../../src/idempotency/begin.ts";
import type { Dynamo, Item, Write } from "../../../src/store/dynamodb.ts";
import { createEngine, type Engine } from "../../support/memory-dynamodb/engine.ts";
import { makeFolder, reconciled } from "./exports.ts";

const ACCOUNTS = "pmrs-accounts";
const LEDGER = "pmrs-ledger";

let home: Awaited<ReturnType<typeof makeFolder>>;
beforeAll(async () => {
  home = await makeFolder();
});
afterAll(() => home.remove());

/** A store that loses every tenth write: either the write itself, or the reply to it. */
function lossy(dynamo: Dynamo, random: Random): Dynamo {
  const through = async <T>(request: T, call: (request: T) => Promise<Write>): Promise<Write> => {
    const chance = random.next();
    if (chance < 0.05) return { outcome: "unknown", cause: "lost" };
    const write = await call(request);
    return chance < 0.1 ? { outcome: "unknown", cause: "reply lost" } : write;
  };
  return {
    ...dynamo,
    put: (request) => through(request, dynamo.put),
    update: (request) => through(request, dynamo.update),
  };
}

class Crash extends Error {}

/** The service's own credits code on the in-process engine, in simulated time. */
function startCredits(seed: number) {
  const engine = createEngine({
    [ACCOUNTS]: ["account"],
    [LEDGER]: ["account_period", "record_id"],
  });
  const random = createRandom(seed);
  let nowMs = Date.UTC(2026, 9, 30);
  const clock = {
    now: () => nowMs,
    pass: (durationMs: number) => {
      nowMs += Math.ceil(durationMs);
    },
  };
  const dynamo = lossy(engine.dynamo, random);
  const ledger: Ledger = {
    dynamo,
    accountsTable: ACCOUNTS,
    ledgerTable: LEDGER,
    now: clock.now,
    sleep: async (delayMs) => clock.pass(delayMs),
    random: random.next,
    nonce: () => random.hex(8),
    authenticate: authenticator(null),
    holdLifeMs: 180_000,
    log: () => {},
  };
  return { engine, random, clock, ledger, dynamo };
}

type Credits = ReturnType<typeof startCredits>;

async function addAccount({ engine, dynamo, clock }: Credits, number: number): Promise<string> {
  const account = `acct_${String(number).padStart(18, "0")}`;
  const Key = { account: { S: account } };
  const zero = { N: "0" };
  const balances = { available: zero, held: zero, charged: zero, granted: zero };
  const open = { email_verified: { BOOL: true }, status: { S: "active" } };
  const Item: Item = {
    ...Key,
    ...open,
    ...balances,
    holds: { M: {} },
    pending: { M: {} },
    movements: { N: "0" },
  };
  const ConditionExpression = "attribute_not_exists(account)";
  await engine.dynamo.put({ TableName: ACCOUNTS, Key, Item, ConditionExpression });
  const books = {
    accounts: ACCOUNTS,
    ledger: LEDGER,
    dynamo,
    now: clock.now,
    authenticate: authenticator(null),
  };
  const grant = { account, kind: "grant", credits: 20, reference: "test-results" } as const;
  await topUp(books, grant);
  await topUp(books, { account, kind: "purchase", credits: 900, reference: `INV-${number}` });
  const taken = { kind: "adjustment", credits: -7, reason: "a correction" } as const;
  await topUp(books, { ...taken, account, reference: `ADJ-${number}` });
  return account;
}

/** One request. With a chance of one in seven it crashes somewhere. */
async function oneRequest({ ledger, random, clock }: Credits, account: string): Promise<void> {
  const crashes = (chance: number) => {
    if (random.next() < chance) throw new Crash();
  };
  const multiplier = random.pick([1, 2]);
  const service = multiplier === 1 ? "short-video" : "photo-feed-story";
  const most = random.between(1, 20);
  const requestId = uuidv7({ msecs: clock.now() });
  const wanted = { account, requestId, service, credits: most * multiplier } as const;
  const reserved = await reserve(ledger, wanted);
  if (!reserved.ok) return;
  crashes(0.05);
  clock.pass(random.between(100, 3_000));
  const failed = random.next() < 0.2;
  const decided = await settle(ledger, reserved.value, {
    keyId: `key_${account}`,
    service,
    outcome: failed ? "UPSTREAM_ERROR" : "OK",
    itemCount: failed ? 0 : random.between(1, most),
    multiplier,
  });
  crashes(0.05);
  if (decided === null) return;
  crashes(0.05);
  await release(ledger, reserved.value, decided.charge);
}

/** @returns how many of the requests crashed. */
async function runRequests(credits: Credits, requests: number): Promise<number> {
  const accounts: string[] = [];
  for (let number = 0; number < 20; number++) accounts.push(await addAccount(credits, number));
  let crashed = 0;
  for (let at = 0; at < requests; at++) {
    try {
      await oneRequest(credits, credits.random.pick(accounts));
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      crashed += 1;
    }
    if (at % 25 === 0) await sweep(credits.ledger).catch(() => {});
  }
  return crashed;
}

function source(engine: Engine, now: () => number) {
  const scan = async (table: string) => answer(engine.scan(table));
  return { accounts: ACCOUNTS, ledger: LEDGER, scan, now };
}

const MINUTE_MS = 60_000;
const SENT = { service: "short-video", max_results: 10 } as const;

/** One attempt under a key, as the service makes it. One in ten crashes with its hold open. */
async function oneAttempt({ ledger, random, clock }: Credits, account: string, key: string) {
  const request = { ...SENT, url: `https://www.tiktok.com/@someone/video/${key}` };
  const beginning = await begin(ledger, { key, account }, request);
  const begun = beginning.ok ? beginning.value.begun : null;
  if (begun === null) return;
  const { requestId, rivals, idempotency } = begun;
  const wanted = { account, requestId, rivals, service: SENT.service, credits: 10 };
  const reserved = await reserve(ledger, wanted);
  if (!reserved.ok || random.chance(0.1)) return;
  const isFound = (await isAlone(ledger, account, begun)) && random.chance(0.6);
  clock.pass(random.between(100, 3_000));
  const decided = await settle(ledger, reserved.value, {
    ...{ keyId: `key_${account}`, service: SENT.service, multiplier: 1 },
    outcome: isFound ? "OK" : "UPSTREAM_ERROR",
    itemCount: isFound ? random.between(1, 10) : 0,
    idempotency: idempotency ?? undefined,
  });
  if (decided !== null) await release(ledger, reserved.value, decided.charge);
}

/** Attempts under few keys at a time, so that most keys have several. Midnight is within one time. */
async function runAttempts(credits: Credits, accounts: readonly string[], untilMs: number) {
  const { random, clock, ledger } = credits;
  while (clock.now() < untilMs) {
    const key = `${Math.floor(clock.now() / (7 * MINUTE_MS))}-${random.between(1, 40)}`;
    await oneAttempt(credits, random.pick(accounts), key);
    clock.pass(random.between(0, 1_000));
    if (random.chance(0.05)) await sweep(ledger).catch(() => {});
  }
}

describe("a local export", () => {
  it("of the service's own credits balances after 2,000 requests, many lost or crashed", async () => {
    const credits = startCredits(1);
    const crashed = await runRequests(credits, 2_000);
    const { engine, clock } = credits;
    const exported = await exportLocal(source(engine, clock.now), home.folder);
    expect(exported).toMatchObject({ ok: true, value: { accounts: 20 } });
    const { answer: outcome, findings } = await reconciled([home.folder]);
    expect(crashed).toBeGreaterThan(150);
    expect(engine.scan(LEDGER).length).toBeGreaterThan(1_500);
    expect(outcome.ok).toBe(true);
    expect(findings).toEqual([]);
  }, 30_000);

  it("in the middle of a day balances with a later one, whose new records have older ids", async () => {
    const { folder, remove } = await makeFolder();
    const credits = startCredits(3);
    const { engine, clock } = credits;
    const midnightMs = Date.UTC(2026, 10, 1);
    clock.pass(midnightMs - 8 * MINUTE_MS - clock.now());
    const accounts = [await addAccount(credits, 1), await addAccount(credits, 2)];
    const shown: string[][] = [];
    for (const minutes of [-4, 1, 8]) {
      await runAttempts(credits, accounts, midnightMs + minutes * MINUTE_MS);
      const to = join(folder, String(minutes));
      const exported = await exportLocal(source(engine, clock.now), to);
      expect(exported.ok).toBe(true);
      shown.push(engine.scan(LEDGER).map((item) => item["record_id"]?.S ?? ""));
      clock.pass(MINUTE_MS);
    }
    const [first = [], , last = []] = shown;
    const newest =
      first
        .filter((id) => !id.includes(":"))
        .toSorted()
        .at(-1) ?? "";
    const younger = last.filter((id) => !first.includes(id));
    expect(younger.some((id) => id < newest)).toBe(true);
    const records = engine.scan(LEDGER).filter((item) => item["kind"]?.S === "usage");
    const months = new Set(records.map((item) => item["account_period"]?.S?.slice(-7)));
    expect(months).toEqual(new Set(["2026-10", "2026-11"]));
    expect(records.filter((item) => "idempotency_key" in item).length).toBeGreaterThan(100);
    const { answer: outcome, findings } = await reconciled([folder]);
    expect(outcome).toMatchObject({ ok: true, value: { series: { snapshots: { length: 3 } } } });
    expect(findings).toEqual([]);
    await remove();
  }, 60_000);

  it("shows the one credit that somebody took by hand", async () => {
    const { folder, remove } = await makeFolder();
    const credits = startCredits(2);
    await runRequests(credits, 50);
    const [item] = credits.engine.scan(ACCOUNTS);
    const account = item?.["account"]?.S ?? "";
    const available = Number(item?.["available"]?.N);
    await credits.engine.dynamo.update({
      TableName: ACCOUNTS,
      Key: { account: { S: account } },
      UpdateExpression: "SET available = :less",
      ConditionExpression: "attribute_exists(account)",
      ExpressionAttributeValues: { ":less": { N: String(available - 1) } },
    });
    await exportLocal(source(credits.engine, credits.clock.now), folder);
    const { findings } = await reconciled([folder]);
    expect(findings).toMatchObject([{ check: "balance_sum", account }]);
    await remove();
  });

  it("is refused while accounts change under it", async () => {
    let scans = 0;
    const scan = async () => answer([{ account: { S: `acct_${scans++}` } }]);
    const moving = { accounts: ACCOUNTS, ledger: LEDGER, scan, now: Date.now };
    expect(await exportLocal(moving, home.folder)).toMatchObject({
      problem: expect.stringMatching("Requests are under way"),
    });
  });
});

/** Amazon's side of an export: records the calls and gives the answers that are set. */
async function startAmazon(states: string[]) {
  const calls: { action: string; input: Record<string, unknown> }[] = [];
  const server: Server = createServer((request, response) => {
    const action = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
    void json(request).then((body) => {
      const input = Object.fromEntries(Object.entries(body ?? {}));
      calls.push({ action, input });
      const status = states[Math.min(calls.length - 5, states.length - 1)] ?? "IN_PROGRESS";
      const arn = "arn:aws:dynamodb:eu-central-1:123456789012:table";
      const replies: Record<string, object> = {
        DescribeTable: { Table: { TableArn: `${arn}/${input["TableName"]}` } },
        ExportTableToPointInTime: {
          ExportDescription: { ExportArn: `${input["TableArn"]}/export/0179-aa` },
        },
        DescribeExport: {
          ExportDescription: {
            ExportArn: input["ExportArn"],
            ExportStatus: status,
            FailureMessage: "no such bucket",
          },
        },
      };
      response.setHeader("content-type", "application/x-amz-json-1.0");
      response.end(JSON.stringify(replies[action] ?? {}));
    });
  });
  const client = new DynamoDBClient({
    endpoint: await listen(server),
    region: "eu-central-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  return { calls, client, stop: () => close(server) };
}

describe("an export in the cloud", () => {
  const wanted = {
    accounts: ACCOUNTS,
    ledger: LEDGER,
    bucket: "books",
    prefix: "2026/10",
    period: { kind: "full", atMs: Date.UTC(2026, 10, 1, 0, 10) },
  } as const;

  async function exported(states: string[], period: Parameters<typeof exportToCloud>[1]["period"]) {
    const { calls, client, stop } = await startAmazon(states);
    const seen: string[] = [];
    const access = { client, sleep: async () => {}, onState: (state: string) => seen.push(state) };
    const outcome = await exportToCloud(access, { ...wanted, period });
    client.destroy();
    await stop();
    const started = calls.filter(({ action }) => action === "ExportTableToPointInTime");
    return { outcome, seen, inputs: started.map(({ input }) => input) };
  }

  it("exports both tables with one and the same time and waits for both", async () => {
    const states = ["IN_PROGRESS", "IN_PROGRESS", "COMPLETED"];
    const { outcome, seen, inputs } = await exported(states, wanted.period);
    expect(outcome).toMatchObject({
      value: {
        accounts: "s3://books/2026/10/AWSDynamoDB/0179-aa",
        ledger: "s3://books/2026/10/AWSDynamoDB/0179-aa",
      },
    });
    expect(seen.length).toBeGreaterThan(1);
    expect(inputs).toMatchObject([
      { S3Bucket: "books", S3Prefix: "2026/10", ExportFormat: "DYNAMODB_JSON" },
      { S3Bucket: "books", ExportType: "FULL_EXPORT" },
    ]);
    expect(inputs[0]?.["TableArn"]).toMatch(/table\/pmrs-accounts$/);
    expect(inputs[1]?.["TableArn"]).toMatch(/table\/pmrs-ledger$/);
    expect(inputs[0]?.["ExportTime"]).toBe(wanted.period.atMs / 1000);
    expect(inputs[0]?.["ExportTime"]).toBe(inputs[1]?.["ExportTime"]);
    expect(inputs[0]?.["ClientToken"]).not.toBe(inputs[1]?.["ClientToken"]);
  });

  it("asks for both images of what changed in a window", async () => {
    const [fromMs, toMs] = [Date.UTC(2026, 9, 1), Date.UTC(2026, 9, 2)];
    const period = { kind: "incremental", fromMs, toMs } as const;
    const { inputs } = await exported(["COMPLETED"], period);
    expect(inputs[1]).toMatchObject({
      ExportType: "INCREMENTAL_EXPORT",
      IncrementalExportSpecification: {
        ExportFromTime: fromMs / 1000,
        ExportToTime: toMs / 1000,
        ExportViewType: "NEW_AND_OLD_IMAGES",
      },
    });
  });

  it("says why an export failed", async () => {
    const { outcome } = await exported(["FAILED"], wanted.period);
    expect(outcome).toMatchObject({ problem: expect.stringMatching("failed: no such bucket") });
  });
});
