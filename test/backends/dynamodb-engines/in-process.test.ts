import { inProcessStore } from "./engines.ts";
import { storeSuite } from "./store-suite.ts";

storeSuite("the in-process engine", async () => {
  return { store: await inProcessStore(), close: async () => {} };
});
