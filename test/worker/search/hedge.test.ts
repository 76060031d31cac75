import { describe, expect, it } from "vitest";
import { type Contender, type HedgeRules, hedge } from "../../../src/search/hedge.ts";
import { createVirtualTime } from "../../support/virtual-time.ts";

type Outcome = "good" | "bad" | "aborted" | "overtaken";

const NEVER = Number.POSITIVE_INFINITY;

/** Contenders that answer after so long, all with one delay, and what became of each. */
function start(
  answers: readonly (readonly [afterMs: number, outcome: Outcome])[],
  delaysMs: number | readonly number[] = 1_000,
  other: Partial<HedgeRules<Outcome>> = {},
) {
  const time = createVirtualTime();
  const started: number[] = [];
  const ends: Outcome[] = [];
  const contenders = answers.map(([afterMs, outcome], place): Contender<Outcome> => {
    const startOne = (ending: AbortController) => {
      started[place] = time.elapsedMs();
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const cancel = afterMs === NEVER ? () => {} : time.timer(afterMs, () => resolve(outcome));
      ending.signal.addEventListener("abort", () => {
        cancel();
        const reason: unknown = ending.signal.reason;
        const isTimeout = reason instanceof DOMException && reason.name === "TimeoutError";
        resolve(isTimeout ? "overtaken" : "aborted");
      });
      void promise.then((end) => {
        ends[place] = end;
      });
      return promise;
    };
    const delayMs = typeof delaysMs === "number" ? delaysMs : (delaysMs[place] ?? NEVER);
    return { delayMs: () => delayMs, start: startOne };
  });
  const { now, timer } = time;
  const rules = { decides: (outcome: Outcome) => outcome === "good", isOver: () => false };
  const finish = time.runUntil(hedge(contenders, { ...rules, now, timer, ...other }));
  return { finish, started, ends, time };
}

describe("contenders", () => {
  it("start no other one when the first answers in time", async () => {
    const { finish, started, time } = start([
      [999, "good"],
      [1, "good"],
    ]);
    expect(await finish).toEqual({ outcomes: ["good"], winner: 0, hedges: [] });
    expect(started).toEqual([0]);
    expect(time.pending()).toBe(0);
  });

  it("start the next one at once after a failure", async () => {
    const { finish, started } = start([
      [10, "bad"],
      [20, "bad"],
      [30, "good"],
    ]);
    expect(await finish).toEqual({ outcomes: ["bad", "bad", "good"], winner: 2, hedges: [] });
    expect(started).toEqual([0, 10, 30]);
  });

  it("start the next one when the one before is silent, and end the silent one", async () => {
    const { finish, started, ends, time } = start([
      [NEVER, "good"],
      [10, "good"],
      [10, "good"],
    ]);
    expect(await finish).toEqual({ outcomes: ["good"], winner: 1, hedges: [1] });
    expect(started).toEqual([0, 1_000]);
    expect(ends).toEqual(["overtaken", "good"]);
    expect(time.pending()).toBe(0);
  });

  it("take the first one's late answer, and end the one that was asked meanwhile", async () => {
    const { finish, ends } = start([
      [1_500, "good"],
      [NEVER, "good"],
    ]);
    expect(await finish).toEqual({ outcomes: ["good"], winner: 0, hedges: [1] });
    expect(ends).toEqual(["good", "aborted"]);
  });

  it("count the delay from the start of the one before, whatever an earlier one does", async () => {
    const { finish, started } = start([
      [1_500, "bad"],
      [NEVER, "good"],
      [5, "good"],
    ]);
    expect(await finish).toEqual({ outcomes: ["bad", "good"], winner: 2, hedges: [1, 2] });
    expect(started).toEqual([0, 1_000, 2_000]);
  });

  it("wait for a silent one to the end, when all others have failed", async () => {
    const { finish } = start([
      [9_000, "good"],
      [10, "bad"],
      [10, "bad"],
    ]);
    expect(await finish).toMatchObject({ outcomes: ["good", "bad", "bad"], winner: 0 });
  });

  it("have a delay each; an endless one starts after a failure only", async () => {
    const { finish, started } = start(
      [
        [NEVER, "good"],
        [20_000, "bad"],
        [10, "good"],
      ],
      [0, 8_000, NEVER],
    );
    expect(await finish).toMatchObject({ winner: 2, hedges: [1] });
    expect(started).toEqual([0, 8_000, 28_000]);
  });

  it("decide once when two answer at the same moment", async () => {
    const { finish, ends } = start([
      [1_010, "good"],
      [10, "good"],
    ]);
    const { outcomes, winner } = await finish;
    expect(winner).toBe(0);
    expect(outcomes).toEqual(["good"]);
    expect(ends).toHaveLength(2);
  });

  it("give their outcomes in their own order, whichever came first", async () => {
    const { finish } = start([
      [3_000, "bad"],
      [2_500, "bad"],
      [10, "bad"],
    ]);
    expect(await finish).toEqual({ outcomes: ["bad", "bad", "bad"], winner: null, hedges: [1, 2] });
  });

  it("start nothing when it is over, and nothing when there are none", async () => {
    const { finish, started } = start(
      [
        [10, "bad"],
        [10, "good"],
      ],
      1_000,
      { isOver: () => true },
    );
    expect(await finish).toEqual({ outcomes: ["bad"], winner: null, hedges: [] });
    expect(started).toEqual([0]);
    expect(await start([]).finish).toEqual({ outcomes: [], winner: null, hedges: [] });
  });

  it("are all ended when one of them throws", async () => {
    const time = createVirtualTime();
    let isEnded = false;
    const silent: Contender<Outcome> = {
      delayMs: () => 1_000,
      start: (ending) => {
        ending.signal.addEventListener("abort", () => {
          isEnded = true;
        });
        return new Promise(() => {});
      },
    };
    const broken: Contender<Outcome> = {
      delayMs: () => 1_000,
      start: () => Promise.reject(new Error("bug")),
    };
    const { now, timer } = time;
    const rules = { decides: () => true, isOver: () => false, now, timer };
    await expect(time.runUntil(hedge([silent, broken], rules))).rejects.toThrow("bug");
    expect(isEnded).toBe(true);
    expect(time.pending()).toBe(0);
  });
});
