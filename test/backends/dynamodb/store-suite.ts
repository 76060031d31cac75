import { afterAll, beforeAll, describe } from "vitest";
import { callsSuite } from "./calls-suite.ts";
import { protocolSuite } from "./protocol-suite.ts";
import type { Store } from "./stores.ts";

/** A store to test, and how it is closed. */
export interface Opened {
  readonly store: Store;
  readonly close: () => Promise<void>;
}

/** What the service expects of the four calls, and the protocol on top of them. */
export function storeSuite(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    }, 60_000);
    afterAll(() => opened.close());

    callsSuite(() => opened.store);
    protocolSuite(() => opened.store);
  });
}
