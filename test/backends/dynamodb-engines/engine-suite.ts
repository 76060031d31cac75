import { afterAll, beforeAll, describe } from "vitest";
import type { LocalDynamoDb } from "../../../infra/local/dynamodb.ts";
import { capacitySuite } from "./capacity.ts";
import { differentialSuite } from "./differential.ts";
import { inProcessStore, remoteStore } from "./engines.ts";
import { faultSuite } from "./fault-suite.ts";
import { storeSuite } from "./store-suite.ts";

/** Everything that is claimed of an engine behind the real protocol and the real client. */
export function engineSuite(
  name: string,
  start: () => Promise<LocalDynamoDb>,
  { countsIndexes }: { countsIndexes: boolean },
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
    faultSuite(() => engine.endpoint);
  });

  describe("the in-process engine", () => {
    let engine: LocalDynamoDb;
    beforeAll(async () => {
      engine = await start();
    }, 60_000);
    afterAll(() => engine.stop());

    differentialSuite(name, async () => {
      return [await inProcessStore(), await remoteStore(engine.endpoint)];
    });
  });
}
