import { readdir, readFile } from "node:fs/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { LOCAL_CREDENTIALS, LOCAL_REGION, startDynamoDb } from "../../infra/local/dynamodb.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { readTables } from "../../infra/tables/template.ts";
import type { Ledger } from "../../src/credits/ledger.ts";
import { reserve } from "../../src/credits/reserve.ts";
import { release, settle } from "../../src/credits/settle.ts";
import { sweep } from "../../src/credits/sweep.ts";
import { fingerprint } from "../../src/keys/api-key.ts";
import { lookUpKey } from "../../src/keys/lookup.ts";
import { openDynamo } from "../../src/store/dynamodb.ts";

/** What the worker may do, by infra/template.yaml, against what its code does. */

const statementSchema = z.object({
  Action: z.array(z.string()),
  Resource: z.union([
    z.object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) }),
    z.object({ "Fn::Sub": z.string() }),
  ]),
});
const userSchema = z.object({
  Properties: z.object({
    Policies: z.array(
      z.object({ PolicyDocument: z.object({ Statement: z.array(statementSchema) }) }),
    ),
  }),
});
const template = z
  .object({ Resources: z.object({ WorkerUser: userSchema }) })
  .parse(parse(await readFile("infra/template.yaml", "utf8")));

/** `GetItem Accounts`, `Query Accounts/index/sweep` and so on. */
function allowed(): string[] {
  const { Policies } = template.Resources.WorkerUser.Properties;
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .flatMap(({ Action, Resource }) => {
      const name =
        "Fn::Sub" in Resource
          ? Resource["Fn::Sub"].replace(/^\$\{(\w+)\.Arn\}/, "$1")
          : Resource["Fn::GetAtt"][0];
      return Action.map((action) => `${action.replace("dynamodb:", "")} ${name}`);
    })
    .sort();
}

const inputSchema = z.object({ TableName: z.string(), IndexName: z.string().optional() });

let stop: () => Promise<void>;
let client: DynamoDBClient;
const called = new Set<string>();
const names = new Map<string, string>();
let keyHolder: { account: string; key: string };

beforeAll(async () => {
  const { accounts, apiKeys, ledger } = await readTables();
  names.set(accounts.TableName, "Accounts");
  names.set(apiKeys.TableName, "ApiKeys");
  names.set(ledger.TableName, "Ledger");
  const engine = await startDynamoDb({ tables: [accounts, apiKeys, ledger] });
  stop = engine.stop;
  const connection = { region: LOCAL_REGION, endpoint: engine.endpoint };
  client = new DynamoDBClient({ ...connection, credentials: LOCAL_CREDENTIALS, maxAttempts: 1 });
  client.middlewareStack.add(
    (next, context) => (args) => {
      const { TableName, IndexName } = inputSchema.parse(args.input);
      const index = IndexName === undefined ? "" : `/index/${IndexName}`;
      const operation = String(context.commandName).replace("Command", "");
      called.add(`${operation} ${names.get(TableName)}${index}`);
      return next(args);
    },
    { step: "initialize" },
  );
  keyHolder = await seedDevAccount({
    ...connection,
    credentials: { ...LOCAL_CREDENTIALS },
    tables: {
      accounts: accounts.TableName,
      apiKeys: apiKeys.TableName,
      ledger: ledger.TableName,
    },
  });
});

afterAll(async () => {
  client.destroy();
  await stop();
});

const SETTLEMENT = {
  keyId: "key_1",
  service: "microblog",
  outcome: "OK",
  itemCount: 1,
  multiplier: 1,
} as const;

describe("the worker's rights", () => {
  it("are what its code uses, no more and no less", async () => {
    const dynamo = openDynamo(client, () => AbortSignal.timeout(5_000));
    let nowMs = Date.now();
    const nameOf = (table: string) => [...names].find(([, name]) => name === table)?.[0] ?? "";
    const ledger: Ledger = {
      dynamo,
      accountsTable: nameOf("Accounts"),
      ledgerTable: nameOf("Ledger"),
      now: () => nowMs,
      sleep: async () => {},
      random: () => 0,
      nonce: () => crypto.randomUUID(),
      holdLifeMs: 180_000,
      log: () => {},
    };
    const { account, key } = keyHolder;
    await lookUpKey(dynamo, nameOf("ApiKeys"), await fingerprint(key));

    const request = (at: number) => `019a3a5c-0000-7000-8000-00000000000${at}`;
    const hold = await reserve(ledger, { account, requestId: request(1), credits: 5 });
    if (!hold.ok) throw new Error(hold.failure.cause);
    await settle(ledger, hold.value, SETTLEMENT);
    await settle(ledger, hold.value, SETTLEMENT);
    await release(ledger, hold.value, 1);
    expect((await reserve(ledger, { account, requestId: request(2), credits: 99 })).ok).toBe(false);
    await reserve(ledger, { account, requestId: request(3), credits: 5 });
    nowMs += 200_000;
    expect(await sweep(ledger)).toMatchObject({ healed: 1 });

    expect([...called].sort()).toEqual(allowed());
  });

  it("cover every call that the source can make", async () => {
    const files = await readdir("src", { recursive: true });
    const sources = await Promise.all(
      files.filter((file) => file.endsWith(".ts")).map((file) => readFile(`src/${file}`, "utf8")),
    );
    const commands = sources.flatMap((source) =>
      [...source.matchAll(/new (\w+)Command\(/g)].map(([, name]) => name),
    );
    const operations = new Set(allowed().map((right) => right.split(" ")[0]));
    expect(new Set(commands)).toEqual(operations);
  });
});
