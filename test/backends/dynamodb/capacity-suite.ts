import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { v7 as uuidv7 } from "uuid";
import { expect, it } from "vitest";
import * as z from "zod";
import type { Ledger } from "../../../src/credits/ledger.ts";
import { reserve } from "../../../src/credits/reserve.ts";
import { release, settle } from "../../../src/credits/settle.ts";
import { DAY_MS, dayOf } from "../../../src/idempotency/attempt-id.ts";
import { begin, isAlone } from "../../../src/idempotency/begin.ts";
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
        const isRead = commandName === "GetItemCommand" || commandName === "QueryCommand";
        const units = isRead ? reads : writes;
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

interface Sent {
  readonly account: string;
  readonly keyId: string;
  readonly url: string;
  readonly itemCount: number;
}

/** A request under a key of 255 characters, as the service sends it through the ledger. */
async function sendKeyed(
  ledger: Ledger,
  { account, keyId, url, itemCount }: Sent,
): Promise<"failed" | "paid" | "replay"> {
  const service = LONGEST_NAME;
  const multiplier = 2;
  const request = { service, url, max_results: 20 } as const;
  const beginning = await begin(ledger, { key: "x".repeat(255), account }, request);
  if (!beginning.ok) throw new Error(beginning.failure.cause);
  const { begun } = beginning.value;
  if (begun === null) return "replay";
  const { requestId, rivals } = begun;
  const held = await reserve(ledger, { account, requestId, rivals, service, credits: 40 });
  if (!held.ok) throw new Error(held.failure.cause);
  if (!(await isAlone(ledger, account, begun))) throw new Error("there is another attempt");
  const outcome = itemCount > 0 ? "OK" : "UPSTREAM_ERROR";
  const idempotency = begun.idempotency ?? undefined;
  const ended = { keyId, service, outcome, itemCount, multiplier, idempotency } as const;
  await settle(ledger, held.value, ended);
  await release(ledger, held.value, itemCount * multiplier);
  return itemCount > 0 ? "paid" : "failed";
}

/** At noon, because two days matter then, and near midnight more. */
export function keyedCapacitySuite(endpoint: () => string): void {
  it.each([1, 5])(
    "with Idempotency-Key at most 2 read units more, and a replay no write, beside %d open holds",
    async (openHolds) => {
      const client = openClient(endpoint());
      const store = await remoteStore(endpoint(), { metered: client });
      const account = await addAccount(store, 1_000_000_000);
      const print = await addKey(store, account);
      const atNoonMs = dayOf(Date.now()) + DAY_MS / 2;
      const ledger = openLedger(store, () => atNoonMs - Date.now());
      for (let at = 0; at < openHolds; at++) {
        const wanted = {
          account,
          requestId: uuidv7(),
          service: LONGEST_NAME,
          credits: 40,
        } as const;
        await reserve(ledger, wanted);
      }
      const { reads, writes } = metered(client);
      const send = async (url: string, itemCount: number) => {
        const before = { reads: reads.table, writes: writes.table };
        await lookUpKey(store.dynamo, store.tables.apiKeys, print, Date.now);
        const end = await sendKeyed(ledger, { account, keyId: print.keyId, url, itemCount });
        return { end, reads: reads.table - before.reads, writes: writes.table - before.writes };
      };
      const failed = await send("https://example.com/1", 0);
      const paid = await send("https://example.com/1", 20);
      const replay = await send("https://example.com/1", 20);
      client.destroy();
      expect([failed, paid, replay].map(({ end }) => end)).toEqual(["failed", "paid", "replay"]);
      expect([failed, paid, replay].map((one) => one.writes)).toEqual([3, 3, 0]);
      expect(Math.max(failed.reads, paid.reads, replay.reads)).toBeLessThanOrEqual(3);
      // The embedded engine does not count a query that finds nothing.
      expect(Math.min(paid.reads, replay.reads)).toBeGreaterThan(1);
      expect([reads.index, writes.index]).toEqual([0, 0]);
    },
  );
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
