import { expect } from "vitest";
import { refuseUndocumented } from "./every-test.ts";
import { watchedFetch } from "./watch-fetch.ts";

/** The clients' tests have servers that answer what the service never would. */
const MADE_UP = "/clients/";

/** Tests over HTTP use the global `fetch`: here none of them can forget to compare what it returns. */
if (!(expect.getState().testPath ?? "").includes(MADE_UP)) {
  globalThis.fetch = watchedFetch(globalThis.fetch);
  refuseUndocumented();
}
