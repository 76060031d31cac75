import { storeSuite } from "./store-suite.ts";
import { memoryStore } from "./stores.ts";

storeSuite("the in-memory engine", async () => {
  return { store: await memoryStore(), close: async () => {} };
});
