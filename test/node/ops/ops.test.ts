import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { startDynamoDb } from "../../../infra/local/dynamodb.ts";
import { readAccountItem } from "../../../infra/ops/account-item.ts";
import { changeAccount, createAccount, showAccount } from "../../../infra/ops/accounts.ts";
import { listHolds } from "../../../infra/ops/holds.ts";
import { changeKey, createKey, listKeys } from "../../../infra/ops/keys.ts";
import { email, id, plainText, reference } from "../../../infra/ops/options.ts";
import { checkTables } from "../../../infra/ops/schema.ts";
import { pendingTopUp, type TopUp, topUp, topUpId } from "../../../infra/ops/topup.ts";
import { openTables } from "../../../infra/tables/tables.ts";
import { readTables } from "../../../infra/tables/template.ts";
import { take } from "../../../infra/terminal/answer.ts";
import { accountAddress } from "../../../src/credits/ledger.ts";
import { fingerprint } from "../../../src/keys/api-key.ts";
import { runOps } from "./command.ts";
import { startTables } from "./engine.ts";

const OLDER = "019a3a5c-0000-7000-8000-000000000001";
const REQUEST = "019a3a5c-0000-7000-8000-000000000002";

const { connection, tables, stop } = await startTables();
afterAll(stop);

async function newAccount(): Promise<string> {
  return take(await createAccount(tables, `${crypto.randomUUID()}@example.com`)).account_id;
}

describe("an account", () => {
  it("starts active, unverified, with 20 free credits and nothing pending", async () => {
    expect(take(await createAccount(tables, "someone@example.com"))).toEqual({
      account_id: expect.stringMatching(/^acct_[0-9a-f]{18}$/),
      email: "someone@example.com",
      email_verified: false,
      status: "active",
      available: 20,
      held: 0,
      charged: 0,
      granted: 20,
      open_holds: 0,
      pending_top_ups: 0,
      low_balance: 0,
    });
  });

  it("keeps its balances through suspension and verification", async () => {
    const account = await newAccount();
    take(await changeAccount(tables, account, { status: "suspended" }));
    const shown = take(await changeAccount(tables, account, { email_verified: true }));
    expect(shown).toMatchObject({ status: "suspended", email_verified: true, available: 20 });
  });

  it("that does not exist is said so", async () => {
    const expected = { ok: false, problem: "There is no account acct_x." };
    expect(await showAccount(tables, "acct_x")).toEqual(expected);
    expect(await changeAccount(tables, "acct_x", { status: "active" })).toEqual(expected);
    expect(
      await topUp(tables, { account: "acct_x", kind: "grant", credits: 1, reference: "r" }),
    ).toEqual(expected);
  });
});

describe("the threshold of low_balance", () => {
  it("is set and ended by the command, and shown", async () => {
    const account = await newAccount();
    const run = async (...words: string[]) => {
      const { out, code } = await ops("--json", "account", ...words, "--account", account);
      return { code, shown: replySchema.parse(JSON.parse(out)) };
    };
    expect(await run("show")).toMatchObject({ shown: { low_balance: 0 } });
    const set = await run("set", "--low-balance", "50");
    expect(set).toMatchObject({ code: 0, shown: { low_balance: 50, available: 20 } });
    expect(take(await readAccountItem(tables, account))["low_balance"]).toEqual({ N: "50" });
    expect(await run("show")).toMatchObject({ shown: { low_balance: 50, status: "active" } });
    expect(await run("set", "--low-balance", "0")).toMatchObject({ shown: { low_balance: 0 } });
  });

  it.each(["-1", "1.5", "many", ""])("is refused as %j, and stays", async (credits) => {
    const account = await newAccount();
    const words = ["account", "set", "--account", account, `--low-balance=${credits}`];
    expect(await ops(...words)).toMatchObject({ code: 2, out: "" });
    expect(take(await showAccount(tables, account)).low_balance).toBe(0);
  });

  it("needs an account that exists", async () => {
    const words = ["account", "set", "--account", "acct_x", "--low-balance", "5"];
    expect(await ops(...words)).toMatchObject({ code: 1, error: "There is no account acct_x.\n" });
    expect(await showAccount(tables, "acct_x")).toMatchObject({ ok: false });
  });
});

describe("an open hold", () => {
  it("is listed with its service, or without one if it is from before services were named", async () => {
    const account = await newAccount();
    const hold = { n: { N: "1" }, exp: { N: "1" }, nonce: { S: "n" } };
    const holds = { [REQUEST]: { M: { ...hold, s: { S: "pinboard" } } }, [OLDER]: { M: hold } };
    await tables.dynamo.update({
      ...accountAddress(tables.accounts, account),
      UpdateExpression: "SET holds = :holds, open_pinboard = :one, open_microblog = :none",
      ConditionExpression: "attribute_exists(account)",
      ExpressionAttributeValues: {
        ":holds": { M: holds },
        ":one": { N: "1" },
        ":none": { N: "0" },
      },
    });
    const listed = take(await listHolds(tables, account));
    const named = listed.map(({ request_id, service }) => [request_id, service]);
    expect(named.toSorted()).toEqual([
      [OLDER, null],
      [REQUEST, "pinboard"],
    ]);
    const shown = take(await showAccount(tables, account));
    expect(shown).toMatchObject({ open_holds: 2 });
    expect(Object.keys(shown).filter((name) => name.startsWith("open_"))).toEqual(["open_holds"]);
  });
});

describe("a key", () => {
  it("needs an active account with a verified email", async () => {
    const account = await newAccount();
    expect(await createKey(tables, { account, label: "" })).toMatchObject({
      problem: expect.stringContaining("account verify"),
    });
    await changeAccount(tables, account, { email_verified: true });
    await changeAccount(tables, account, { status: "suspended" });
    expect(await createKey(tables, { account, label: "" })).toMatchObject({
      problem: expect.stringContaining("account activate"),
    });
  });

  it("is stored as a hash only, and stays revoked", async () => {
    const account = await newAccount();
    await changeAccount(tables, account, { email_verified: true });
    const { key, key_id } = take(await createKey(tables, { account, label: "web" }));
    expect((await fingerprint(key)).keyId).toBe(key_id);
    const [listed] = take(await listKeys(tables, account));
    expect(listed).toMatchObject({ key_id, label: "web", last_characters: key.slice(-4) });
    expect(JSON.stringify(listed)).not.toContain(key.slice(0, 20));
    expect(take(await changeKey(tables, key_id, "inactive")).status).toBe("inactive");
    expect(take(await changeKey(tables, key_id, "active")).status).toBe("active");
    expect(take(await changeKey(tables, key_id, "revoked")).status).toBe("revoked");
    expect(await changeKey(tables, key_id, "active")).toMatchObject({
      problem: expect.stringContaining("revoked for good"),
    });
  });
});

describe("a movement of credits", () => {
  const purchase = (account: string, credits: number, reference = "INV-1"): TopUp => ({
    account,
    kind: "purchase",
    credits,
    reference,
  });

  it("counts once per reference, however often and however parallel it is repeated", async () => {
    const account = await newAccount();
    const wanted = purchase(account, 500);
    expect(take(await topUp(tables, wanted))).toEqual({ counted: true });
    await Promise.all(Array.from({ length: 10 }, () => topUp(tables, wanted)));
    expect(take(await topUp(tables, wanted))).toEqual({ counted: false });
    const both = [purchase(account, 30, "INV-2"), purchase(account, 30, "INV-2")];
    await Promise.all(both.map((one) => topUp(tables, one)));
    expect(take(await showAccount(tables, account))).toMatchObject({
      available: 550,
      granted: 550,
      pending_top_ups: 0,
      low_balance: 0,
    });
  });

  it("is refused when the reference stands for another number", async () => {
    const account = await newAccount();
    take(await topUp(tables, purchase(account, 500)));
    expect(await topUp(tables, purchase(account, 501))).toMatchObject({
      problem: expect.stringContaining("with 500 credits"),
    });
    expect(take(await showAccount(tables, account)).available).toBe(520);
  });

  it("takes credits away down to 0 and never below", async () => {
    const account = await newAccount();
    const adjust = (credits: number, reference: string) =>
      topUp(tables, { account, kind: "adjustment", credits, reference, reason: "test" });
    expect(await adjust(-21, "a")).toMatchObject({
      problem: "The account has 20 credits available; 21 cannot be taken.",
    });
    expect(take(await adjust(-20, "b"))).toEqual({ counted: true });
    expect(take(await adjust(-20, "b"))).toEqual({ counted: false });
    expect(take(await showAccount(tables, account))).toMatchObject({
      available: 0,
      granted: 0,
      pending_top_ups: 0,
      low_balance: 0,
    });
  });

  it.each([70, -7])(
    "of %d never counts an announcement that its record does not name",
    async (n) => {
      const account = await newAccount();
      const wanted = { ...purchase(account, n), kind: "adjustment" as const };
      take(await topUp(tables, wanted));
      const Key = { account: { S: account } };
      // The state that a late copy of the first write would leave, if it were accepted.
      const taken = String(Math.min(n, 0));
      await tables.dynamo.update({
        TableName: tables.accounts,
        Key,
        UpdateExpression:
          "SET pending.#id = :stray, available = available + :taken, granted = granted + :taken",
        ConditionExpression: "attribute_exists(account)",
        ExpressionAttributeNames: { "#id": topUpId(wanted) },
        ExpressionAttributeValues: {
          ":stray": pendingTopUp(n, "another"),
          ":taken": { N: taken },
        },
      });
      expect(take(await topUp(tables, wanted))).toEqual({ counted: false });
      expect(take(await showAccount(tables, account))).toMatchObject({
        available: 20 + n,
        granted: 20 + n,
        pending_top_ups: 0,
        low_balance: 0,
      });
    },
  );

  const losses = [70, -7].flatMap((credits) =>
    [1, 2, 3].flatMap((write) => ["reply", "request"].map((what) => ({ credits, write, what }))),
  );

  it.each(losses)("of $credits survives a lost $what of write $write", async (loss) => {
    const account = await newAccount();
    let calls = 0;
    const lose = <R, W>(call: (request: R) => Promise<W>) => {
      return async (request: R) => {
        if (++calls !== loss.write) return call(request);
        if (loss.what === "reply") await call(request);
        return { outcome: "unknown" as const, cause: "lost" };
      };
    };
    const { dynamo } = tables;
    const lossy = { ...dynamo, update: lose(dynamo.update), put: lose(dynamo.put) };
    const wanted = { ...purchase(account, loss.credits), kind: "adjustment" as const };
    expect((await topUp({ ...tables, dynamo: lossy }, wanted)).ok).toBe(false);
    take(await topUp(tables, wanted));
    expect(take(await showAccount(tables, account))).toMatchObject({
      available: 20 + loss.credits,
      granted: 20 + loss.credits,
      pending_top_ups: 0,
      low_balance: 0,
    });
  });
});

const replySchema = z.record(z.string(), z.unknown());
const newKeySchema = z.object({ key_id: z.string(), key: z.string() });

const ops = (...words: string[]) => runOps(connection, words);

describe("the command", () => {
  it("does an account's life and prints one JSON object a command", async () => {
    const run = async (...words: string[]) => {
      const { out, error, code } = await ops("--json", ...words);
      expect({ error, code }).toEqual({ error: "", code: 0 });
      return replySchema.parse(JSON.parse(out));
    };
    const created = await run("account", "create", "--email", "a@example.com");
    expect(created).toEqual({
      account_id: expect.any(String),
      email: "a@example.com",
      email_verified: false,
      status: "active",
      available: 20,
    });
    const of = ["--account", String(created["account_id"])];
    expect(await run("account", "verify", ...of)).toMatchObject({ email_verified: true });
    const { key_id, key } = newKeySchema.parse(await run("key", "create", ...of));
    expect(key).toMatch(/^svc_live_/);
    const bought = ["--credits", "100", "--reference", "INV-7"];
    expect(await run("credits", "purchase", ...of, ...bought)).toMatchObject({ available: 120 });
    expect(await run("account", "show", ...of)).toMatchObject({ available: 120, open_holds: 0 });
    const revoke = ["key", "revoke", "--key-id", key_id, "--yes"];
    expect(await run(...revoke)).toMatchObject({ status: "revoked", changed: true });
    expect(await run(...revoke)).toMatchObject({ status: "revoked", changed: false });
    expect(await run("usage", "list", ...of)).toEqual({ records: [], next: null });
    expect(await run("holds", "list", ...of)).toEqual({ holds: [] });
    expect(await run("sweep", "run")).toHaveProperty("healed");
  });

  it("says what is wrong, on standard error, with its exit code", async () => {
    expect(await ops("account", "show", "--account", "acct_x")).toEqual({
      out: "",
      error: "There is no account acct_x.\n",
      code: 1,
    });
    expect(await ops("credits", "purchase", "--account", "a")).toMatchObject({ code: 2, out: "" });
    expect(await ops("credits", "grant", "--account", "a", "--credits", "1.5")).toMatchObject({
      code: 2,
      error: expect.stringContaining("whole number"),
    });
    expect(await ops("frobnicate")).toMatchObject({ code: 2 });
  });

  it("finds the tables as in the template", async () => {
    const { out, code } = await ops("--json", "tables", "check");
    expect({ code, states: replySchema.parse(JSON.parse(out))["tables"] }).toEqual({
      code: 0,
      states: Object.values(connection.tables).map((table) => ({
        table,
        state: "as in the template",
        differences: "",
      })),
    });
  });
});

describe("what an operator types", () => {
  const ESCAPES = [
    "\u001b[2K",
    "a\nb",
    "a\r",
    "\u0000",
    "\u202eevil",
    "\u2028",
    "\u0085",
    "\u200b",
  ];

  it.each(ESCAPES)("is refused as a label, reason or id with %j in it", async (text) => {
    for (const limit of [64, 200]) expect(() => plainText(limit)(text)).toThrow("control");
    expect(() => id(text)).toThrow("Not an id");
    expect(() => reference(text)).toThrow("visible ASCII");
    expect(() => email(`${text}@example.com`)).toThrow("Not an email");
  });

  it("has a length that is counted in characters", () => {
    expect(plainText(64)("ü".repeat(64))).toHaveLength(64);
    expect(plainText(64)("😀".repeat(64))).toHaveLength(128);
    expect(() => plainText(64)("ü".repeat(65))).toThrow("At most 64 characters");
    expect(() => email(`a@${"b".repeat(250)}.de`)).toThrow("254");
  });

  it("is refused by the command, with exit code 2 and without a trace", async () => {
    const bad = ["--reason", "good\u001b[1A will"];
    const wanted = ["--account", "acct_x", "--credits", "1", "--reference", "r"];
    expect(await ops("credits", "adjust", ...wanted, ...bad)).toMatchObject({ code: 2, out: "" });
    const label = ["--account", "acct_x", "--label", "x".repeat(65)];
    expect(await ops("key", "create", ...label)).toMatchObject({ code: 2, out: "" });
  });
});

describe("tables that are not as in the template", () => {
  it("are said to differ, and how", async () => {
    const { accounts, ledger } = await readTables();
    const { GlobalSecondaryIndexes: _, ...bare } = accounts;
    const definitions = accounts.AttributeDefinitions.filter(
      ({ AttributeName }) => AttributeName === "account",
    );
    const engine = await startDynamoDb({
      tables: [{ ...bare, AttributeDefinitions: definitions }, ledger],
    });
    const drifted = openTables({ ...connection, endpoint: engine.endpoint });
    try {
      expect(take(await checkTables(drifted))).toEqual([
        {
          table: connection.tables.accounts,
          state: "differs",
          differences: expect.stringMatching(/^indexes: \[\] instead of \["sweep/),
        },
        { table: connection.tables.apiKeys, state: "missing", differences: "" },
        { table: connection.tables.ledger, state: "as in the template", differences: "" },
      ]);
    } finally {
      drifted.client.destroy();
      await engine.stop();
    }
  });
});
