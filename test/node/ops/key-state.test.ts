import { GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, describe, expect, it } from "vitest";
import {
  type AccountChange,
  changeAccount,
  createAccount,
  showAccount,
} from "../../../infra/ops/accounts.ts";
import { checkKeys } from "../../../infra/ops/key-state.ts";
import { changeKey, createKey, listKeys } from "../../../infra/ops/keys.ts";
import type { Tables } from "../../../infra/tables/tables.ts";
import { take } from "../../../infra/terminal/answer.ts";
import { losing, startTables } from "./engine.ts";

const { tables, stop } = await startTables();
afterAll(stop);

/** A verified account with three keys, one of them revoked. */
async function accountWithKeys() {
  const email = `${crypto.randomUUID()}@example.com`;
  const account = take(await createAccount(tables, email)).account_id;
  take(await changeAccount(tables, account, { email_verified: true }));
  const keys: string[] = [];
  for (const label of ["one", "two", "gone"]) {
    keys.push(take(await createKey(tables, { account, label })).key_id);
  }
  take(await changeKey(tables, keys[2] ?? "", "revoked"));
  return { account, keys };
}

async function statesOn(keys: readonly string[]): Promise<(string | undefined)[]> {
  return Promise.all(
    keys.map(async (keyId) => {
      const Key = { key_id: { S: keyId } };
      const command = new GetItemCommand({ TableName: tables.apiKeys, Key, ConsistentRead: true });
      return (await tables.client.send(command)).Item?.["account_state"]?.S;
    }),
  );
}

const all = (state: string) => [state, state, state];

describe("each key", () => {
  it("is told what becomes of its account", async () => {
    const { account, keys } = await accountWithKeys();
    expect(await statesOn(keys)).toEqual(all("active"));
    const steps: [AccountChange, string][] = [
      [{ status: "suspended" }, "suspended"],
      [{ email_verified: false }, "suspended"],
      [{ status: "active" }, "unverified"],
      [{ email_verified: true }, "active"],
    ];
    for (const [change, state] of steps) {
      take(await changeAccount(tables, account, change));
      expect(await statesOn(keys)).toEqual(all(state));
    }
    expect(
      take(await listKeys(tables, account))
        .map(({ status }) => status)
        .sort(),
    ).toEqual(["active", "active", "revoked"]);
  });

  it("of before the attribute is told when its account's command is repeated", async () => {
    const { account, keys } = await accountWithKeys();
    take(await changeAccount(tables, account, { status: "suspended" }));
    for (const keyId of keys) {
      await tables.client.send(
        new UpdateItemCommand({
          TableName: tables.apiKeys,
          Key: { key_id: { S: keyId } },
          UpdateExpression: "REMOVE account_state",
        }),
      );
    }
    expect(take(await checkKeys(tables))).toHaveLength(3);
    take(await changeAccount(tables, account, { status: "suspended" }));
    expect(await statesOn(keys)).toEqual(all("suspended"));
    expect(take(await checkKeys(tables))).toEqual([]);
  });

  // The account, then its three keys.
  it.each([1, 2, 3, 4])(
    "is refused with its suspended account when write %i is lost, and told by a repetition",
    async (nth) => {
      for (const loss of ["request", "answer"] as const) {
        const { account, keys } = await accountWithKeys();
        for (const change of [{ status: "suspended" }, { status: "active" }] as const) {
          const before = take(await showAccount(tables, account)).status;
          const broken = await changeAccount(losing(tables, nth, loss), account, change);
          expect(broken).toMatchObject({ ok: false, problem: expect.stringContaining("again") });
          // The account is written first, so the reserve refuses whatever the keys still say.
          const isUnchanged = nth === 1 && loss === "request";
          const expected = isUnchanged ? before : change.status;
          expect(take(await showAccount(tables, account)).status).toBe(expected);
          take(await changeAccount(tables, account, change));
          expect(await statesOn(keys)).toEqual(all(change.status));
        }
      }
    },
  );

  it("ends at the truth when two changes come at once", async () => {
    const { account, keys } = await accountWithKeys();
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        changeAccount(tables, account, { status: round % 2 === 0 ? "suspended" : "active" }),
        changeAccount(tables, account, { email_verified: round % 3 !== 0 }),
      ]);
      expect(take(await checkKeys(tables))).toEqual([]);
    }
    expect(await statesOn(keys)).toEqual(all("suspended"));
  });

  it("is not given out when its account is suspended meanwhile", async () => {
    const { account } = await accountWithKeys();
    const put: Tables["dynamo"]["put"] = async (write) => {
      take(await changeAccount(tables, account, { status: "suspended" }));
      return tables.dynamo.put(write);
    };
    const slow = { ...tables, dynamo: { ...tables.dynamo, put } };
    expect(await createKey(slow, { account, label: "late" })).toMatchObject({
      ok: false,
      problem: expect.stringContaining("suspended"),
    });
    expect(take(await listKeys(tables, account))).toHaveLength(4);
    expect(take(await checkKeys(tables))).toEqual([]);
  });
});
