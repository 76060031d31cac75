import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { v7 as uuidv7 } from "uuid";
import { expect, it } from "vitest";
import * as z from "zod";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { fingerprint, formatApiKey } from "../../../src/keys/api-key.ts";
import { lookUpKey } from "../../../src/keys/lookup.ts";
import { addAccount, openLedger } from "./accounts.ts";
import { openClient, remoteStore, type Store } from "./stores.ts";

const replySchema = z.object({
  ConsumedCapacity: z.object({
    CapacityUnits: z.number(),
    Table: z.object({ CapacityUnits: z.number() }),
  }),
});

/** Each hold has its service's name. */
const LONGEST_NAME = "photo-feed-highlight";

interface Units {
  /** Units of tables. Units of indexes are counted separately. */
  table: number;
  index: number;
}

/** Makes a client ask for the units that its calls consume, and adds them up. */
function metered(client: DynamoDBClient): { reads: Units; writes: Units } {
  const reads = { table: 0, index: 0 };
  const writes = { table: 0, index: 0 };
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        Object.assign(request.input, { ReturnConsumedCapacity: "INDEXES" });
        const reply = await next(request);
        const used = replySchema.parse(reply.output).ConsumedCapacity;
        const units = commandName === "GetItemCommand" ? reads : writes;
        units.table += used.Table.CapacityUnits;
        units.index += used.CapacityUnits - used.Table.CapacityUnits;
        return reply;
      },
    { step: "initialize" },
  );
  return { reads, writes };
}

async function addKey({ dynamo, tables }: Store, account: string) {
  const print = await fingerprint(formatApiKey(crypto.getRandomValues(new Uint8Array(32))));
  const Key = { key_id: { S: print.keyId } };
  await dynamo.put({
    TableName: tables.apiKeys,
    Key,
    Item: {
      ...Key,
      key_hash: { S: print.keyHash },
      account: { S: account },
      status: { S: "active" },
    },
    ConditionExpression: "attribute_not_exists(key_id)",
  });
  return print;
}

/**
 * @param countsIndexes whether the engine counts the units of an index; the embedded one does not.
 */
export function capacitySuite(endpoint: () => string, countsIndexes: boolean): void {
  it.each([1, 2, 3, 4, 5])(
    "a request costs 3 write units and 1 read unit beside %d open holds",
    async (openHolds) => {
      const client = openClient(endpoint());
      const store = await remoteStore(endpoint(), { metered: client });
      const account = await addAccount(store, 1_000_000_000);
      const print = await addKey(store, account);
      const ledger = openLedger(store);
      const open = () =>
        reserve(ledger, { account, requestId: uuidv7(), service: LONGEST_NAME, credits: 40 });
      for (let at = 0; at < openHolds; at++) await open();

      const { reads, writes } = metered(client);
      await lookUpKey(store.dynamo, store.tables.apiKeys, print, Date.now);
      const hold = await open();
      if (!hold.ok) throw new Error(hold.failure.cause);
      const settled = {
        keyId: print.keyId,
        service: LONGEST_NAME,
        outcome: "OK",
      } as const;
      await settle(ledger, hold.value, { ...settled, itemCount: 20, multiplier: 2 });
      await release(ledger, hold.value, 40);
      client.destroy();
      expect({ reads, writes }).toEqual({
        reads: { table: 1, index: 0 },
        writes: { table: 3, index: 0 },
      });
    },
  );

  it.runIf(countsIndexes)(
    "the first request of an idle account costs one unit more, for the sweep's index",
    async () => {
      const client = openClient(endpoint());
      const store = await remoteStore(endpoint(), { metered: client });
      const account = await addAccount(store, 100);
      const { writes } = metered(client);
      const wanted = { account, requestId: uuidv7(), credits: 1 };
      await reserve(openLedger(store), { ...wanted, service: LONGEST_NAME });
      client.destroy();
      expect(writes).toEqual({ table: 1, index: 1 });
    },
  );
}
