import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../src/contract/errors.ts";
import { failed, type Result, success } from "../../../src/contract/result.ts";
import { FAILURES_TO_OPEN, openBreaker, PAUSE_MS } from "../../../src/search/breaker.ts";
import { createClock, type LogEntry } from "../../support/service.ts";

const NAME = "pinboard/first";
const CAUSE = "status 403";
const never = new AbortController().signal;

function start() {
  const clock = createClock();
  const logs: LogEntry[] = [];
  const breaker = openBreaker({ now: clock.now, log: (entry) => void logs.push(entry) });
  let asked = 0;
  const turn = (outcome: Result<string>, { name = NAME, signal = never } = {}) =>
    breaker({ name, signal }, async () => {
      asked += 1;
      return outcome;
    });
  const fail = (code: ErrorCode = "UPSTREAM_REJECTED", times = 1, other = {}) =>
    Promise.all(Array.from({ length: times }, () => turn(failed(code, CAUSE), other)));
  const states = () => logs.map(({ state }) => state);
  return { ...clock, breaker, turn, fail, states, logs, asked: () => asked };
}

const found = success("media");

describe("a source that keeps failing", () => {
  it.each(["UPSTREAM_REJECTED", "UPSTREAM_ERROR", "UPSTREAM_TIMEOUT"] as const)(
    "is left alone after many %s in a row, and counts as that failure",
    async (code) => {
      const { turn, fail, asked, logs } = start();
      await fail(code, FAILURES_TO_OPEN);
      expect(await turn(found)).toEqual(failed(code, `paused after: ${CAUSE}`));
      expect(asked()).toBe(FAILURES_TO_OPEN);
      expect(logs).toEqual([
        {
          event: "breaker",
          source: NAME,
          state: "opened",
          code,
          cause: CAUSE,
          failures: FAILURES_TO_OPEN,
        },
      ]);
    },
  );

  it("is asked again once after the pause, and then by all when it answers", async () => {
    const { turn, fail, pass, states, asked } = start();
    await fail("UPSTREAM_ERROR", FAILURES_TO_OPEN);
    pass(PAUSE_MS - 1);
    expect(await turn(found)).toMatchObject({ ok: false });
    pass(1);
    expect(await turn(found)).toEqual(found);
    expect(await turn(found)).toEqual(found);
    expect(asked()).toBe(FAILURES_TO_OPEN + 2);
    expect(states()).toEqual(["opened", "half_open", "closed"]);
  });

  it("is left alone for another pause when it fails again", async () => {
    const { turn, fail, pass, states, asked } = start();
    await fail("UPSTREAM_ERROR", FAILURES_TO_OPEN);
    pass(PAUSE_MS);
    await fail("UPSTREAM_TIMEOUT");
    expect(await turn(found)).toMatchObject({ failure: { code: "UPSTREAM_TIMEOUT" } });
    pass(PAUSE_MS);
    expect(await turn(found)).toEqual(found);
    expect(asked()).toBe(FAILURES_TO_OPEN + 2);
    expect(states()).toEqual(["opened", "half_open", "opened", "half_open", "closed"]);
  });

  it("is tried by one request at a time", async () => {
    const { breaker, turn, fail, pass } = start();
    await fail("UPSTREAM_ERROR", FAILURES_TO_OPEN);
    pass(PAUSE_MS);
    const answer = Promise.withResolvers<Result<string>>();
    const trial = breaker({ name: NAME, signal: never }, () => answer.promise);
    expect(await turn(found)).toMatchObject({ ok: false });
    answer.resolve(found);
    expect(await trial).toEqual(found);
    expect(await turn(found)).toEqual(found);
  });

  it("is tried by the next request when the client of the trial has left", async () => {
    const { turn, fail, pass, states } = start();
    await fail("UPSTREAM_ERROR", FAILURES_TO_OPEN);
    pass(PAUSE_MS);
    await turn(failed("UPSTREAM_ERROR", "aborted"), { signal: AbortSignal.abort() });
    expect(await turn(found)).toEqual(found);
    expect(states()).toEqual(["opened", "half_open", "half_open", "closed"]);
  });

  it("is tried by the next request when the trial has thrown", async () => {
    const { breaker, turn, fail, pass } = start();
    await fail("UPSTREAM_ERROR", FAILURES_TO_OPEN);
    pass(PAUSE_MS);
    const bug = () => Promise.reject(new Error("bug"));
    await expect(breaker({ name: NAME, signal: never }, bug)).rejects.toThrow("bug");
    expect(await turn(found)).toEqual(found);
  });

  it("does not take the others with it", async () => {
    const { turn, fail } = start();
    await fail("UPSTREAM_ERROR", FAILURES_TO_OPEN);
    expect(await turn(found, { name: "pinboard/second" })).toEqual(found);
  });
});

describe("no pause follows", () => {
  it.each(["MEDIA_NOT_FOUND", "UPSTREAM_INVALID_RESPONSE"] as const)(
    "from %s, which is an answer",
    async (code) => {
      const { fail, logs, asked } = start();
      await fail(code, FAILURES_TO_OPEN * 3);
      expect(asked()).toBe(FAILURES_TO_OPEN * 3);
      expect(logs).toEqual([]);
    },
  );

  it("from clients that leave", async () => {
    const { fail, logs } = start();
    await fail("UPSTREAM_ERROR", FAILURES_TO_OPEN * 3, { signal: AbortSignal.abort() });
    expect(logs).toEqual([]);
  });

  it("from failures that an answer interrupts", async () => {
    const { turn, fail, logs } = start();
    for (let round = 0; round < 3; round++) {
      await fail("UPSTREAM_REJECTED", FAILURES_TO_OPEN - 1);
      await turn(round % 2 === 0 ? found : failed("MEDIA_NOT_FOUND", "gone"));
    }
    expect(logs).toEqual([]);
  });
});

it("requests that fail late do not prolong a pause", async () => {
  const { breaker, turn, fail, pass, states } = start();
  const answer = Promise.withResolvers<Result<string>>();
  const late = breaker({ name: NAME, signal: never }, () => answer.promise);
  await fail("UPSTREAM_ERROR", FAILURES_TO_OPEN);
  pass(PAUSE_MS - 1);
  answer.resolve(failed("UPSTREAM_TIMEOUT", "late"));
  await late;
  pass(1);
  expect(await turn(found)).toEqual(found);
  expect(states()).toEqual(["opened", "half_open", "closed"]);
});
