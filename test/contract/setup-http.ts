import { expect } from "vitest";
import { refuseUndocumented } from "./every-test.ts";
import { watchedFetch } from "./watch-fetch.ts";

/** Here a server of the test's own answers what the service never would. */
const MADE_UP = "/test/node/clients/call.test.ts";

/** Tests over HTTP use the global `fetch`: here none of them can forget to compare what it returns. */
if (!(expect.getState().testPath ?? "").endsWith(MADE_UP)) {
  globalThis.fetch = watchedFetch(globalThis.fetch);
  refuseUndocumented();
}
