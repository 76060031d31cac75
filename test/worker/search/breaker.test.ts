import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { success } from "../../../src/contract/result.ts";
import { type Attempt, openBreaker, PAUSE_MS } from "../../../src/search/breaker.ts";
import { ACCOUNTS_TO_OPEN, POSTS_TO_OPEN, RECENT_MS } from "../../../src/search/outage.ts";
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

const SOURCE = "pinboard/first";
const CAUSE = "status 403";
const never = new AbortController().signal;
const found = success("media");
const odd = (cause: string) => drifted(cause, "field", "");
const LEFT_ALONE = { failure: { kind: "leftAlone", cause: `paused after: ${CAUSE}` } };

type Why = (cause: string) => Refusal;

function start() {
  const clock = createClock();
  const logs: LogEntry[] = [];
  const breaker = openBreaker({ now: clock.now, log: (entry) => void logs.push(entry) });
  let asked = 0;
  const attempt = (outcome: Answer<string>, other: Partial<Attempt> = {}) =>
    breaker({ source: SOURCE, account: "good", post: "1", signal: never, ...other }, async () => {
      asked += 1;
      return outcome;
    });
  /** So many accounts fail on so many posts, each account on its own ones. */
  const fail = async (why: Why, accounts = ACCOUNTS_TO_OPEN, posts = POSTS_TO_OPEN) => {
    for (let post = 0; post < posts; post++) {
      await attempt(why(CAUSE), { account: `bad${post % accounts}`, post: `bad${post}` });
    }
  };
  const states = () => logs.map(({ state }) => state);
  return { ...clock, breaker, attempt, fail, states, logs, asked: () => asked };
}

describe("a source that fails for several accounts and posts", () => {
  it.each([sourceRefused, sourceFailed, sourceTimedOut])("is paused: %o", async (why) => {
    const { attempt, fail, asked, logs } = start();
    await fail(why);
    expect(asked()).toBe(POSTS_TO_OPEN);
    expect(await attempt(found, { account: "bad0" })).toMatchObject(LEFT_ALONE);
    expect(asked()).toBe(POSTS_TO_OPEN);
    const code = codeOf(why("").failure.kind);
    const evidence = { accounts: ACCOUNTS_TO_OPEN, posts: POSTS_TO_OPEN };
    expect(logs).toEqual([
      { event: "breaker", source: SOURCE, state: "opened", code, cause: CAUSE, ...evidence },
    ]);
  });

  it("is asked by an account that has not failed, and then by all when it answers", async () => {
    const { attempt, fail, states } = start();
    await fail(sourceFailed);
    expect(await attempt(found)).toEqual(found);
    expect(await attempt(found, { account: "bad0" })).toEqual(found);
    expect(states()).toEqual(["opened", "closed"]);
  });

  it("is asked again by each account after its pause", async () => {
    const { attempt, fail, pass, states } = start();
    await fail(sourceFailed);
    pass(PAUSE_MS - 1);
    expect(await attempt(found, { account: "bad0" })).toMatchObject(LEFT_ALONE);
    pass(1);
    expect(await attempt(sourceFailed(CAUSE), { account: "bad0" })).toEqual(sourceFailed(CAUSE));
    expect(await attempt(found, { account: "bad0" })).toMatchObject(LEFT_ALONE);
    expect(await attempt(found, { account: "bad1" })).toEqual(found);
    expect(states()).toEqual(["opened", "closed"]);
  });

  it("is tried by one request of an account at a time, whatever another account's trial does", async () => {
    const { breaker, attempt, fail } = start();
    await fail(sourceFailed);
    const hanging = Promise.withResolvers<Answer<string>>();
    const trial = breaker(
      { source: SOURCE, account: "hostile", post: "1", signal: never },
      () => hanging.promise,
    );
    expect(await attempt(found, { account: "hostile" })).toMatchObject(LEFT_ALONE);
    expect(await attempt(found, { account: "good" })).toEqual(found);
    hanging.resolve(sourceTimedOut("late"));
    await trial;
    expect(await attempt(found, { account: "good" })).toEqual(found);
  });

  it("is tried again by the same account at once when the client of the trial has left", async () => {
    const { attempt, fail } = start();
    await fail(sourceFailed);
    await attempt(inconclusive("aborted"), { signal: AbortSignal.abort() });
    expect(await attempt(found)).toEqual(found);
  });

  it("is not tried at once by the account whose trial has thrown", async () => {
    const { breaker, attempt, fail, pass } = start();
    await fail(sourceFailed);
    const bug = () => Promise.reject(new Error("bug"));
    const tried = { source: SOURCE, account: "good", post: "1", signal: never };
    await expect(breaker(tried, bug)).rejects.toThrow("bug");
    expect(await attempt(found)).toMatchObject(LEFT_ALONE);
    pass(PAUSE_MS);
    expect(await attempt(found)).toEqual(found);
  });

  it("does not take the others with it", async () => {
    const { attempt, fail } = start();
    await fail(sourceFailed);
    const other = { account: "bad0", source: "pinboard/second" };
    expect(await attempt(found, other)).toEqual(found);
  });
});

describe("no pause follows", () => {
  it.each([notFound, maybeNotFound, refused, odd, notApplicable, inconclusive])(
    "from %o, which says nothing of the source",
    async (why) => {
      const { fail, logs, asked } = start();
      await fail(why, 50, 200);
      expect(asked()).toBe(200);
      expect(logs).toEqual([]);
    },
  );

  it("from few accounts, whatever their posts", async () => {
    const { fail, logs, asked } = start();
    await fail(sourceRefused, ACCOUNTS_TO_OPEN - 1, 1_000);
    expect(asked()).toBe(1_000);
    expect(logs).toEqual([]);
  });

  it("from few posts, whoever asks for them", async () => {
    const { attempt, logs } = start();
    for (let at = 0; at < 500; at++) {
      const post = `p${at % (POSTS_TO_OPEN - 1)}`;
      await attempt(sourceRefused(CAUSE), { account: `a${at}`, post });
    }
    expect(logs).toEqual([]);
  });

  it("from clients that leave", async () => {
    const { attempt, logs } = start();
    for (let at = 0; at < 100; at++) {
      const other = { account: `a${at}`, post: `p${at}`, signal: AbortSignal.abort() };
      await attempt(sourceFailed(CAUSE), other);
    }
    expect(logs).toEqual([]);
  });

  it.each([found, notFound("gone"), refused("not to be embedded"), odd("changed")])(
    "from failures with an answer between: %o",
    async (answer) => {
      const { attempt, fail, logs } = start();
      for (let round = 0; round < 5; round++) {
        await fail(sourceRefused, ACCOUNTS_TO_OPEN, POSTS_TO_OPEN - 1);
        await attempt(answer);
      }
      expect(logs).toEqual([]);
    },
  );

  it("from failures that lie far apart", async () => {
    const { attempt, pass, logs } = start();
    for (let at = 0; at < 100; at++) {
      await attempt(sourceFailed(CAUSE), { account: `a${at}`, post: `p${at}` });
      pass(RECENT_MS / (POSTS_TO_OPEN - 2));
    }
    expect(logs).toEqual([]);
  });
});

it("requests already in flight neither extend a pause nor begin the next", async () => {
  const { breaker, attempt, fail, states } = start();
  const late = Promise.withResolvers<Answer<string>>();
  const flying = Array.from({ length: 20 }, (_, at) =>
    breaker(
      { source: SOURCE, account: `late${at}`, post: `late${at}`, signal: never },
      () => late.promise,
    ),
  );
  await fail(sourceFailed);
  late.resolve(sourceTimedOut("late"));
  await Promise.all(flying);
  expect(await attempt(found, { account: "late0" })).toEqual(found);
  expect(states()).toEqual(["opened", "closed"]);
});

const troubles = [sourceRefused, sourceFailed, sourceTimedOut];
const outcomeOf = (...whys: readonly Why[]) =>
  fc.option(fc.constantFrom(...whys), { freq: 50 }).map((why) => why?.(CAUSE) ?? found);
const post = fc.integer({ min: 0, max: 99 }).map(String);
const passMs = fc.integer({ min: 0, max: 500 });
const hostile = fc.record({
  account: fc.constantFrom("hostile1", "hostile2", "hostile3"),
  post,
  outcome: outcomeOf(...troubles),
  passMs,
});
const good = fc.record({
  account: fc.constant("good"),
  post,
  outcome: outcomeOf(...troubles, refused, notFound, inconclusive),
  passMs,
});
const step = fc.oneof({ weight: 20, arbitrary: hostile }, { weight: 1, arbitrary: good });

it("no request is left alone for what three other accounts ask, in any order", async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 50, maxLength: 300 }),
    async (steps) => {
      const { attempt, pass, asked, logs } = start();
      const outcomes: unknown[] = [];
      for (const { outcome, passMs: durationMs, ...asker } of steps) {
        outcomes.push(await attempt(outcome, asker));
        pass(durationMs);
      }
      expect(outcomes).toEqual(steps.map(({ outcome }) => outcome));
      expect(asked()).toBe(steps.length);
      expect(logs).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: 500 });
});
