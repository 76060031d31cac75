import { describe, expect, it } from "vitest";
import {
  ATTEMPTS_MAX,
  attemptId,
  attemptOf,
  attemptPrefix,
  DAY_MS,
  dayOf,
} from "../../../src/idempotency/attempt-id.ts";
import { uuidTimeMs } from "../../../src/runtime/uuid-time.ts";

const HASH = "0123456789abcdef0123456789abcdef";
const OTHER = "0123456789abcde00123456789abcdef";
const DAY = Date.UTC(2026, 10, 21);

describe("the id of an attempt", () => {
  it.each([HASH, "f".repeat(32), "0".repeat(32)])(
    "is a UUIDv7 of the start of its day: %s",
    (hash) => {
      const id = attemptId(attemptPrefix(DAY, hash), 7);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(uuidTimeMs(id)).toBe(DAY);
      expect(attemptOf(id)).toBe(7);
    },
  );

  it("differs by key, by day and by number, and sorts by number", () => {
    const prefixes = [
      attemptPrefix(DAY, HASH),
      attemptPrefix(DAY, OTHER),
      attemptPrefix(DAY + DAY_MS, HASH),
    ];
    expect(new Set(prefixes).size).toBe(3);
    const ids = [0, 1, 15, 16, ATTEMPTS_MAX].map((at) => attemptId(prefixes[0] ?? "", at));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids.map((id) => id.length))).toEqual(new Set([36]));
  });

  it("has a day of UTC", () => {
    expect(dayOf(DAY)).toBe(DAY);
    expect(dayOf(DAY + DAY_MS - 1)).toBe(DAY);
    expect(dayOf(DAY - 1)).toBe(DAY - DAY_MS);
  });
});
