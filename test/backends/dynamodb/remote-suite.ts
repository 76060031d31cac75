import { afterAll, beforeAll, describe } from "vitest";
import type { LocalDynamoDb } from "../../../infra/local/dynamodb.ts";
import { capacitySuite, keyedCapacitySuite } from "./capacity-suite.ts";
import { differentialSuite } from "./differential-suite.ts";
import { type FaultyTraffic, faultSuite } from "./fault-suite.ts";
import { keyedSuite } from "./keyed-suite.ts";
import { storeSuite } from "./store-suite.ts";
import { memoryStore, remoteStore } from "./stores.ts";

/** All claims about an engine behind the real protocol and the real client. */
export function remoteSuite(
  name: string,
  start: () => Promise<LocalDynamoDb>,
  { countsIndexes, ...traffic }: FaultyTraffic & { readonly countsIndexes: boolean },
): void {
  storeSuite(name, async () => {
    const engine = await start();
    return { store: await remoteStore(engine.endpoint), close: engine.stop };
  });

  describe(`on ${name}`, () => {
    let engine: LocalDynamoDb;
    beforeAll(async () => {
      engine = await start();
    }, 60_000);
    afterAll(() => engine.stop());

    capacitySuite(() => engine.endpoint, countsIndexes);
    keyedCapacitySuite(() => engine.endpoint);
    faultSuite(() => engine.endpoint, traffic);
    keyedSuite(() => engine.endpoint, traffic.requests);
  });

  describe("the in-memory engine", () => {
    let engine: LocalDynamoDb;
    beforeAll(async () => {
      engine = await start();
    }, 60_000);
    afterAll(() => engine.stop());

    differentialSuite(name, async () => {
      return [await memoryStore(), await remoteStore(engine.endpoint)];
    });
  });
}
