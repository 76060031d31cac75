import { afterEach, expect, it, vi } from "vitest";
import { assemble } from "../../src/assemble.ts";
import { testSettings } from "../support/settings.ts";

afterEach(() => vi.unstubAllGlobals());

it("sends each call of the store once, for a repeated reserve needs a fresh nonce", async () => {
  let sent = 0;
  vi.stubGlobal("fetch", async () => {
    sent++;
    return new Response("{}", { status: 500 });
  });
  const { dynamo } = assemble(testSettings({ DYNAMODB_ENDPOINT: "https://store.example" }), null);
  const Key = { account: { S: "a" } };
  const write = await dynamo.update({
    TableName: "accounts",
    Key,
    UpdateExpression: "REMOVE sweep",
    ConditionExpression: "attribute_exists(account)",
  });
  expect(write.outcome).toBe("unknown");
  expect(sent).toBe(1);
});
