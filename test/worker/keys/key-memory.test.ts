import { expect, it } from "vitest";
import { openKeyMemory } from "../../../src/keys/key-memory.ts";
import { openIsolateCount } from "../../../src/limiter/isolate-count.ts";

const active = (keyId: string) =>
  ({ outcome: "active", key: { keyId, account: "a", expiresMs: null } }) as const;
const unknown = { outcome: "unknown", cause: "no such key" } as const;

it("an isolate's memory of keys is bounded, and a flood of unknown keys displaces no good one", () => {
  const memory = openKeyMemory(() => 0);
  memory.learn("good", active("good"));
  for (let at = 0; at < 20_000; at++) memory.learn(`unknown${at}`, unknown);
  expect(memory.standing("good")).toBe("good");
  expect(memory.standing("unknown0")).toBe("new");
  expect(memory.standing("unknown19999")).toBe("refused");
  for (let at = 0; at < 10_000; at++) memory.learn(`good${at}`, active(`good${at}`));
  expect(memory.standing("good")).toBe("new");
});

it("a good key that is used again is the last to be forgotten", () => {
  const memory = openKeyMemory(() => 0);
  for (let at = 0; at < 6_000; at++) {
    memory.learn("used", active("used"));
    memory.learn(`other${at}`, active(`other${at}`));
  }
  expect(memory.standing("used")).toBe("good");
});

it("a store that did not answer teaches nothing", () => {
  const memory = openKeyMemory(() => 0);
  memory.learn("key", active("key"));
  memory.learn("key", { outcome: "undecided", cause: "down" });
  expect(memory.standing("key")).toBe("good");
});

it("the end of a good key is known until a look-up refuses it", () => {
  const memory = openKeyMemory(() => 0);
  expect(memory.endOf("key")).toBeNull();
  memory.learn("key", { outcome: "active", key: { ...active("key").key, expiresMs: 5 } });
  memory.learn("key", { outcome: "undecided", cause: "down" });
  expect(memory.endOf("key")).toBe(5);
  for (const outcome of ["refused", "unknown"] as const) {
    memory.learn("key", { outcome, cause: "revoked" });
    expect(memory.endOf("key")).toBeNull();
  }
});

it("an isolate's count is bounded, too", () => {
  const count = openIsolateCount(() => 0, 1);
  expect(count.count("first")).toBe(true);
  expect(count.isSpent("first")).toBe(true);
  for (let at = 0; at < 10_000; at++) count.count(`other${at}`);
  expect(count.isSpent("first")).toBe(false);
});
