import { describe, expect, it } from "vitest";
import { success } from "../../../src/contract/result.ts";
import { FAILURES_TO_OPEN, openBreaker, PAUSE_MS } from "../../../src/search/breaker.ts";
import { codeOf } from "../../../src/search/verdict.ts";
import {
  type Answer,
  inconclusive,
  maybeNotFound,
  notApplicable,
  notFound,
  type Refusal,
  refused,
  sourceFailed,
  sourceRefused,
  sourceTimedOut,
} from "../../../src/upstream/answer.ts";
import { drifted } from "../../../src/upstream/drift.ts";
import { createClock, type LogEntry } from "../../support/service.ts";

const NAME = "pinboard/first";
const CAUSE = "status 403";
const never = new AbortController().signal;

function start() {
  const clock = createClock();
  const logs: LogEntry[] = [];
  const breaker = openBreaker({ now: clock.now, log: (entry) => void logs.push(entry) });
  let asked = 0;
  const attempt = (outcome: Answer<string>, { name = NAME, signal = never } = {}) =>
    breaker({ name, signal }, async () => {
      asked += 1;
      return outcome;
    });
  const fail = (why: (cause: string) => Refusal = sourceRefused, times = 1, other = {}) =>
    Promise.all(Array.from({ length: times }, () => attempt(why(CAUSE), other)));
  const states = () => logs.map(({ state }) => state);
  return { ...clock, breaker, attempt, fail, states, logs, asked: () => asked };
}

const found = success("media");

describe("a source that keeps failing", () => {
  it.each([sourceRefused, sourceFailed, sourceTimedOut])(
    "is left alone after many %o in a row, and counts as that failure",
    async (why) => {
      const { attempt, fail, asked, logs } = start();
      await fail(why, FAILURES_TO_OPEN);
      expect(await attempt(found)).toEqual(why(`paused after: ${CAUSE}`));
      expect(asked()).toBe(FAILURES_TO_OPEN);
      expect(logs).toEqual([
        {
          event: "breaker",
          source: NAME,
          state: "opened",
          code: codeOf(why("").failure.kind),
          cause: CAUSE,
          failures: FAILURES_TO_OPEN,
        },
      ]);
    },
  );

  it("is asked again once after the pause, and then by all when it answers", async () => {
    const { attempt, fail, pass, states, asked } = start();
    await fail(sourceFailed, FAILURES_TO_OPEN);
    pass(PAUSE_MS - 1);
    expect(await attempt(found)).toMatchObject({ ok: false });
    pass(1);
    expect(await attempt(found)).toEqual(found);
    expect(await attempt(found)).toEqual(found);
    expect(asked()).toBe(FAILURES_TO_OPEN + 2);
    expect(states()).toEqual(["opened", "half_open", "closed"]);
  });

  it("is left alone for another pause when it fails again", async () => {
    const { attempt, fail, pass, states, asked } = start();
    await fail(sourceFailed, FAILURES_TO_OPEN);
    pass(PAUSE_MS);
    await fail(sourceTimedOut);
    expect(await attempt(found)).toMatchObject({ failure: { kind: "sourceTimedOut" } });
    pass(PAUSE_MS);
    expect(await attempt(found)).toEqual(found);
    expect(asked()).toBe(FAILURES_TO_OPEN + 2);
    expect(states()).toEqual(["opened", "half_open", "opened", "half_open", "closed"]);
  });

  it("is tried by one request at a time", async () => {
    const { breaker, attempt, fail, pass } = start();
    await fail(sourceFailed, FAILURES_TO_OPEN);
    pass(PAUSE_MS);
    const answer = Promise.withResolvers<Answer<string>>();
    const trial = breaker({ name: NAME, signal: never }, () => answer.promise);
    expect(await attempt(found)).toMatchObject({ ok: false });
    answer.resolve(found);
    expect(await trial).toEqual(found);
    expect(await attempt(found)).toEqual(found);
  });

  it("is tried by the next request when the client of the trial has left", async () => {
    const { attempt, fail, pass, states } = start();
    await fail(sourceFailed, FAILURES_TO_OPEN);
    pass(PAUSE_MS);
    await attempt(inconclusive("aborted"), { signal: AbortSignal.abort() });
    expect(await attempt(found)).toEqual(found);
    expect(states()).toEqual(["opened", "half_open", "half_open", "closed"]);
  });

  it("is tried by the next request when the trial has thrown", async () => {
    const { breaker, attempt, fail, pass } = start();
    await fail(sourceFailed, FAILURES_TO_OPEN);
    pass(PAUSE_MS);
    const bug = () => Promise.reject(new Error("bug"));
    await expect(breaker({ name: NAME, signal: never }, bug)).rejects.toThrow("bug");
    expect(await attempt(found)).toEqual(found);
  });

  it("does not take the others with it", async () => {
    const { attempt, fail } = start();
    await fail(sourceFailed, FAILURES_TO_OPEN);
    expect(await attempt(found, { name: "pinboard/second" })).toEqual(found);
  });
});

describe("no pause follows", () => {
  const odd = (cause: string) => drifted(cause, "field", "");
  it.each([notFound, maybeNotFound, refused, odd, notApplicable, inconclusive])(
    "from %o, which says nothing of the source",
    async (why) => {
      const { fail, logs, asked } = start();
      await fail(why, FAILURES_TO_OPEN * 3);
      expect(asked()).toBe(FAILURES_TO_OPEN * 3);
      expect(logs).toEqual([]);
    },
  );

  it("from clients that leave", async () => {
    const { fail, logs } = start();
    await fail(sourceFailed, FAILURES_TO_OPEN * 3, { signal: AbortSignal.abort() });
    expect(logs).toEqual([]);
  });

  it("from failures that an answer interrupts", async () => {
    const { attempt, fail, logs } = start();
    for (let round = 0; round < 3; round++) {
      await fail(sourceRefused, FAILURES_TO_OPEN - 1);
      await attempt(round % 2 === 0 ? found : notFound("gone"));
    }
    expect(logs).toEqual([]);
  });
});

it("requests that fail late do not prolong a pause", async () => {
  const { breaker, attempt, fail, pass, states } = start();
  const answer = Promise.withResolvers<Answer<string>>();
  const late = breaker({ name: NAME, signal: never }, () => answer.promise);
  await fail(sourceFailed, FAILURES_TO_OPEN);
  pass(PAUSE_MS - 1);
  answer.resolve(sourceTimedOut("late"));
  await late;
  pass(1);
  expect(await attempt(found)).toEqual(found);
  expect(states()).toEqual(["opened", "half_open", "closed"]);
});
