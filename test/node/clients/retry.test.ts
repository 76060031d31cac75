import { describe, expect, it } from "vitest";
import { type Failing, retryWaitMs } from "../../../infra/clients/typescript/src/resolve/retry.ts";
import { ERRORS } from "../../../src/contract/errors.ts";

const failing = (status: number | null, more: Partial<Failing> = {}): Failing => ({
  ...{ status, message: "", retryAfterSeconds: null, resetSeconds: null },
  ...more,
});

describe("after a failure the client", () => {
  it("never retries what would fail again", () => {
    const statuses = [200, 301, 400, 401, 402, 403, 404, 405, 422, 500, 503];
    for (const status of statuses) expect(retryWaitMs(failing(status), 1, 0.5)).toBeNull();
    const transient = Object.values(ERRORS).filter(
      ({ status }) => retryWaitMs(failing(status), 1, 0) !== null,
    );
    expect(new Set(transient.map(({ status }) => status))).toEqual(new Set([429, 502, 504]));
  });

  it("backs off with full jitter after 502, 504 and a lost connection: twice as long each time, capped", () => {
    for (const status of [502, 504, null]) {
      const longest = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((failures) =>
        retryWaitMs(failing(status), failures, 1),
      );
      expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000, 20_000]);
      expect(retryWaitMs(failing(status), 4, 0)).toBe(0);
      expect(retryWaitMs(failing(status), 4, 0.25)).toBe(1_000);
    }
  });

  it("waits at least as long as a 502 or 504 asks", () => {
    expect(retryWaitMs(failing(504, { retryAfterSeconds: 7 }), 1, 1)).toBe(7_000);
    expect(retryWaitMs(failing(502, { retryAfterSeconds: 1 }), 4, 1)).toBe(4_000);
  });

  it("waits for the reset after 429, and for a jitter beyond it", () => {
    const told = { retryAfterSeconds: 3, resetSeconds: 40 };
    expect(retryWaitMs(failing(429, told), 1, 0)).toBe(3_000);
    expect(retryWaitMs(failing(429, told), 1, 1)).toBe(3_500);
    expect(retryWaitMs(failing(429, { resetSeconds: 40 }), 2, 0.5)).toBe(40_500);
    expect(retryWaitMs(failing(429), 1, 1)).toBe(500);
  });

  it("does not wait for a limit of the day", () => {
    for (const message of [
      "Too many repetitions with this Idempotency-Key today.",
      "Too many attempts with this Idempotency-Key today. Use another one.",
    ]) {
      expect(retryWaitMs(failing(429, { message, retryAfterSeconds: 1 }), 1, 0)).toBeNull();
    }
  });
});
