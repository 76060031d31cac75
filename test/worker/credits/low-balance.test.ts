import { describe, expect, it } from "vitest";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import {
  ACCOUNTS,
  addAccount,
  createTestEngine,
  type LogEntry,
  testLedger,
} from "../../support/service.ts";

/** An account of 100 credits whose holder wants to know when less than 50 are left. */
async function start(threshold: number | null = 50) {
  const engine = createTestEngine();
  const account = await addAccount(engine.dynamo, { credits: 100 });
  const logs: LogEntry[] = [];
  const ledger = testLedger(engine.dynamo, { log: (entry) => void logs.push(entry) });
  const set = async (name: string, credits: number) => {
    await engine.dynamo.update({
      TableName: ACCOUNTS,
      Key: { account: { S: account } },
      UpdateExpression: "SET #name = :value",
      ConditionExpression: "attribute_exists(account)",
      ExpressionAttributeNames: { "#name": name },
      ExpressionAttributeValues: { ":value": { N: String(credits) } },
    });
  };
  if (threshold !== null) await set("low_balance", threshold);
  let requests = 0;
  /** One request that holds twice what it is charged. */
  const charge = async (credits: number) => {
    const requestId = `019a3a5c-0000-7000-8000-00000000000${requests++}`;
    const wanted = { account, requestId, service: "microblog", credits: 2 * credits } as const;
    const held = await reserve(ledger, wanted);
    if (!held.ok) throw new Error(held.failure.cause);
    const settlement = { service: "microblog", outcome: "OK", multiplier: 1 } as const;
    await settle(ledger, held.value, { ...settlement, keyId: "key", itemCount: credits });
    await release(ledger, held.value, credits);
  };
  const said = () => logs.filter(({ event }) => event === "low_balance");
  return { account, charge, set, said };
}

describe("an account that passes its threshold", () => {
  it("is logged by the charge that passes it, and by no other", async () => {
    const { account, charge, said } = await start();
    await charge(25);
    await charge(25);
    expect(said()).toEqual([]);
    await charge(1);
    expect(said()).toEqual([{ event: "low_balance", account, balance: 49, threshold: 50 }]);
    await charge(10);
    expect(said()).toHaveLength(1);
  });

  it("is logged again after a top-up", async () => {
    const { charge, set, said } = await start();
    await charge(30);
    await charge(30);
    await set("available", 60);
    await charge(10);
    expect(said().map(({ balance }) => balance)).toEqual([40]);
    await charge(1);
    expect(said().map(({ balance }) => balance)).toEqual([40, 49]);
  });

  it("is not logged without a threshold", async () => {
    const { charge, said } = await start(null);
    await charge(50);
    expect(said()).toEqual([]);
  });
});
