import { readdir, readFile } from "node:fs/promises";
import { afterAll, describe, expect, it } from "vitest";
import {
  changeAccount,
  createAccount,
  listAccounts,
  showAccount,
} from "../../../infra/ops/accounts.ts";
import { listHolds } from "../../../infra/ops/holds.ts";
import { rotateKey } from "../../../infra/ops/key-rotation.ts";
import { findKey } from "../../../infra/ops/key-search.ts";
import { checkKeys } from "../../../infra/ops/key-state.ts";
import { changeKey, createKey, listKeys } from "../../../infra/ops/keys.ts";
import { moveCredits } from "../../../infra/ops/movement.ts";
import { listMovements } from "../../../infra/ops/movements-list.ts";
import { checkTables } from "../../../infra/ops/schema.ts";
import { seedDevAccount } from "../../../infra/ops/seed.ts";
import { makeStatement } from "../../../infra/ops/statement.ts";
import { listUsage, showUsage } from "../../../infra/ops/usage.ts";
import { sumMonth } from "../../../infra/ops/usage-sums.ts";
import { openTables, type Tables } from "../../../infra/tables/tables.ts";
import { take } from "../../../infra/terminal/answer.ts";
import type { Ledger } from "../../../src/credits/ledger.ts";
import { authenticator } from "../../../src/credits/record-mac.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { sweep } from "../../../src/credits/sweep.ts";
import { findAttempts } from "../../../src/idempotency/attempts.ts";
import { fingerprint } from "../../../src/keys/api-key.ts";
import { lookUpKey } from "../../../src/keys/lookup.ts";
import { startTables } from "./engine.ts";
import {
  type Call,
  isAllowed,
  noteCalls,
  type Statement,
  statementsOf,
  type User,
} from "./policies.ts";

/** What each user may do, by infra/template.yaml, against what the code does. */

const { connection, stop } = await startTables();
afterAll(stop);
const { accounts, apiKeys, ledger } = connection.tables;
const names = new Map([
  [accounts, "Accounts"],
  [apiKeys, "ApiKeys"],
  [ledger, "Ledger"],
]);

/** Opens the tables, works with them, and gives every call that was made. */
async function callsOf(work: (tables: Tables) => Promise<void>): Promise<Call[]> {
  const tables = openTables(connection);
  const calls = noteCalls(tables.client, names);
  await work(tables);
  tables.client.destroy();
  return calls;
}

/** `GetItem Accounts`, `Query Accounts/index/sweep` and so on, each once. */
function rightsIn(calls: readonly Call[]): string[] {
  return [...new Set(calls.map(({ operation, resource }) => `${operation} ${resource}`))].sort();
}

function granted(user: User): string[] {
  const rights = statementsOf(user)
    .filter(({ Effect }) => Effect === "Allow")
    .flatMap(({ Action, Resource }) =>
      Action.flatMap((action) => Resource.map((one) => `${action.replace(/^\w+:/, "")} ${one}`)),
    );
  return [...new Set(rights)].sort();
}

function refused(user: User, calls: readonly Call[]): Call[] {
  const statements = statementsOf(user);
  return calls.filter((call) => !isAllowed(statements, call));
}

const SETTLEMENT = {
  keyId: "key_1",
  service: "microblog",
  outcome: "OK",
  itemCount: 1,
  multiplier: 1,
} as const;

const request = (at: number) => `019a3a5c-0000-7000-8000-00000000000${at}`;

async function workAsWorker(tables: Tables): Promise<void> {
  const { dynamo } = tables;
  let nowMs = Date.now();
  const ledger: Ledger = {
    dynamo,
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
    now: () => nowMs,
    sleep: async () => {},
    random: () => 0,
    nonce: () => crypto.randomUUID(),
    authenticate: authenticator(null),
    holdLifeMs: 180_000,
    log: () => {},
  };
  const { account, key } = await seedDevAccount(connection);
  await lookUpKey(dynamo, tables.apiKeys, await fingerprint(key), Date.now);
  const wanted = { account, service: "microblog", credits: 5 } as const;
  const hold = await reserve(ledger, { ...wanted, requestId: request(1) });
  if (!hold.ok) throw new Error(hold.failure.cause);
  await settle(ledger, hold.value, SETTLEMENT);
  await settle(ledger, hold.value, SETTLEMENT);
  await release(ledger, hold.value, 1);
  const dear = { ...wanted, requestId: request(2), credits: 99 };
  expect((await reserve(ledger, dear)).ok).toBe(false);
  await reserve(ledger, { ...wanted, requestId: request(3) });
  nowMs += 200_000;
  expect(await sweep(ledger)).toMatchObject({ healed: 1 });
  await findAttempts(ledger, { account, keyHash: "0123456789abcdef" });
}

async function workAsOperator(tables: Tables): Promise<void> {
  const { account_id: account } = take(await createAccount(tables, "policy@example.com"));
  take(await changeAccount(tables, account, { email_verified: true }));
  const { key_id, key } = take(await createKey(tables, { account, label: "" }));
  take(await rotateKey(tables, { keyId: key_id, graceMs: 60_000 }));
  take(await changeAccount(tables, account, { status: "suspended" }));
  take(await findKey(tables, key));
  take(await changeKey(tables, key_id, "revoked"));
  take(await listKeys(tables, account));
  take(await checkKeys(tables));
  const movement = { account, kind: "purchase", credits: 5, reference: "INV-P" } as const;
  take(await moveCredits(tables, movement));
  take(await showAccount(tables, account));
  take(await listAccounts(tables));
  take(await listMovements(tables, account));
  const month = new Date().toISOString().slice(0, 7);
  take(await makeStatement(tables, { account, month }));
  take(await sumMonth(tables, { account, month, by: "day" }));
  take(await listHolds(tables, undefined));
  const [from, to] = [new Date(Date.now() - 1_000), new Date()];
  take(await listUsage(tables, { account, from, to, limit: 10 }));
  expect((await showUsage(tables, { requestId: request(9) })).ok).toBe(false);
  take(await checkTables(tables));
}

describe("the worker's rights", () => {
  it("are what its code uses, no more and no less", async () => {
    const calls = await callsOf(workAsWorker);
    expect(rightsIn(calls)).toEqual(granted("WorkerUser"));
    expect(refused("WorkerUser", calls)).toEqual([]);
  });

  it("cover every call that the source can make", async () => {
    const files = await readdir("src", { recursive: true });
    const sources = await Promise.all(
      files.filter((file) => file.endsWith(".ts")).map((file) => readFile(`src/${file}`, "utf8")),
    );
    const commands = sources.flatMap((source) =>
      [...source.matchAll(/new (\w+)Command\(/g)].map(([, name]) => name),
    );
    const operations = new Set(granted("WorkerUser").map((right) => right.split(" ")[0]));
    expect(new Set(commands)).toEqual(operations);
  });

  it("end at the keys: a holder's email and a reference cannot be read", () => {
    const read = (key: string) => ({ operation: "GetItem", resource: "ApiKeys", key });
    const statements = statementsOf("WorkerUser");
    expect(isAllowed(statements, read("key_1"))).toBe(true);
    expect(isAllowed(statements, read("email#1"))).toBe(false);
    expect(isAllowed(statements, read("reference#INV-1"))).toBe(false);
  });
});

describe("the operator's rights", () => {
  it("are what the tool uses from day to day, no more and no less", async () => {
    const calls = await callsOf(async (tables) => {
      await workAsOperator(tables);
      // `ops sweep run` is the worker's own sweep.
      await workAsWorker(tables);
    });
    const ofWorker = granted("WorkerUser");
    const rights = rightsIn(calls);
    expect(refused("OperatorUser", calls)).toEqual([]);
    expect(granted("OperatorUser").filter((right) => !rights.includes(right))).toEqual([]);
    expect(ofWorker.filter((right) => !granted("OperatorUser").includes(right))).toEqual([]);
  });

  it("change keys but no claim", () => {
    const change = (key: string) => ({ operation: "UpdateItem", resource: "ApiKeys", key });
    expect(isAllowed(statementsOf("OperatorUser"), change("key_1"))).toBe(true);
    expect(isAllowed(statementsOf("OperatorUser"), change("email#1"))).toBe(false);
  });
});

describe("finance's rights", () => {
  it("read the books and export them, and write to no table", () => {
    const reads = ["GetItem", "Query", "Scan", "DescribeTable", "ExportTableToPointInTime"];
    const files = ["PutObject", "AbortMultipartUpload", "GetObject", "ListBucket"];
    const books = statementsOf("FinanceUser").filter(({ Effect }) => Effect === "Allow");
    const actions = books.flatMap(({ Action }) => Action.map((one) => one.replace(/^\w+:/, "")));
    expect(new Set(actions)).toEqual(new Set([...reads, "DescribeExport", ...files]));
    expect(books.flatMap(({ Resource }) => Resource).filter((one) => one === "ApiKeys")).toEqual(
      [],
    );
  });
});

describe("nobody's everyday rights", () => {
  const EVERYTHING: Statement = {
    Sid: "GrantedLater",
    Effect: "Allow",
    Action: ["dynamodb:*"],
    Resource: ["*"],
  };

  it.each(["WorkerUser", "OperatorUser", "FinanceUser"] as const)(
    "take tables, records, backups, protection or streams away: %s",
    (user) => {
      const statements = [...statementsOf(user), EVERYTHING];
      for (const resource of ["Accounts", "ApiKeys", "Ledger"]) {
        const may = (operation: string) => isAllowed(statements, { operation, resource, key: "" });
        expect(may("DescribeTable")).toBe(true);
        expect(
          [
            ...["DeleteTable", "UpdateTable", "UpdateContinuousBackups", "DeleteBackup"],
            ...["UpdateTimeToLive", "RestoreTableToPointInTime", "PutResourcePolicy"],
            ...["DeleteItem", "BatchWriteItem", "PartiQLDelete", "PartiQLUpdate"],
            "DisableKinesisStreamingDestination",
          ].filter(may),
        ).toEqual([]);
      }
    },
  );
});
