import { describe, expect, it } from "vitest";
import { limitMs, setHedgeDelays, waitMs } from "../../../src/search/hedge-delay.ts";
import type { Source } from "../../../src/search/resolver.ts";
import { notFound } from "../../../src/upstream/answer.ts";
import { RESOLVERS } from "../../support/resolvers.ts";

const free = (name: string): Source => ({ name, find: async () => notFound("") });
const paid: Source = { ...free("paid"), isPaid: true };

const at = (place: number, leftMs: number, hedgeDelayMs = 1_500, paidDelayMs = 8_000) => ({
  place,
  leftMs,
  resolver: { hedgeDelayMs, sources: [free("a"), free("b"), paid] },
  settings: { PAID_HEDGE_DELAY_MS: paidDelayMs },
});

describe("a source", () => {
  it("waits for a silent one for the service's delay, and longer if it costs money", () => {
    expect(waitMs(at(1, 120_000))).toBe(1_500);
    expect(waitMs(at(2, 118_500))).toBe(8_000);
  });

  it("is asked within the window, however long the delay", () => {
    expect(waitMs(at(1, 3_000))).toBe(1_000);
    expect(waitMs(at(2, 2_000))).toBe(1_000);
  });

  it("may take all that is left, because the next one is asked meanwhile", () => {
    expect(limitMs(at(0, 120_000))).toBe(120_000);
    expect(limitMs(at(2, 7_000))).toBe(7_000);
  });

  it("waits for a failure and gets an equal share where hedging is off", () => {
    expect(waitMs(at(1, 120_000, 0))).toBe(Number.POSITIVE_INFINITY);
    expect(limitMs(at(0, 120_000, 0))).toBe(40_000);
    expect(limitMs(at(1, 90_000, 0))).toBe(90_000);
    expect(limitMs(at(1, 90_000, 1_500, 0))).toBe(45_000);
  });
});

describe("HEDGE_DELAYS", () => {
  const delayOf = (text: string | null) => {
    const set = setHedgeDelays(RESOLVERS, text);
    return (service: keyof typeof RESOLVERS) => set[service].hedgeDelayMs;
  };

  it("unset leaves each service its own", () => {
    expect(delayOf(null)("microblog")).toBe(RESOLVERS.microblog.hedgeDelayMs);
  });

  it("sets those of the services that it names", () => {
    const delay = delayOf(" microblog = 0 ; photo-feed=3000;");
    expect(delay("microblog")).toBe(0);
    expect(delay("photo-feed")).toBe(3_000);
    expect(delay("pinboard")).toBe(RESOLVERS.pinboard.hedgeDelayMs);
  });

  it.each([
    ["myspace=1", '"myspace" is no service; there are photo-feed, '],
    ["microblog=", "microblog: must be a whole number of milliseconds, at most 120000"],
    ["microblog=-1", "microblog: must be a whole number"],
    ["microblog=1.5", "microblog: must be a whole number"],
    ["microblog=120001", "microblog: must be a whole number"],
    ["microblog=1;microblog=2", "microblog: is there twice"],
  ])("is refused at the start: %s", (text, problem) => {
    expect(() => delayOf(text)).toThrow(`configuration: HEDGE_DELAYS: ${problem}`);
  });
});
