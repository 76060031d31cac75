import { availableParallelism } from "node:os";
import { beforeAll, describe, expect, it } from "vitest";
import { SERVICES } from "../../src/contract/schemas.ts";
import { simulate } from "./pool.ts";
import { NOTHING, type Report } from "./report.ts";
import { runSeed } from "./run.ts";

const RUNS = 600;

describe("the service's own code, in a simulated world", () => {
  let report: Report = NOTHING;

  beforeAll(async () => {
    report = await simulate({ first: 1, runs: RUNS }, availableParallelism());
  }, 180_000);

  it("breaks no invariant, and tells every client what the ledger says", () => {
    expect(report.runs).toBe(RUNS);
    expect(report.violations).toEqual([]);
  });

  it.each(SERVICES)("asks for posts of %s", (service) => {
    expect(report.services[service]).toBeGreaterThan(50);
  });

  it.each([
    ...["connection refused", "connection reset", "request lost", "reply lost", "reply reset"],
    ...["delayed write", "throttled", "transaction conflict"],
    ...["server error before", "server error after", "crash", "cron skipped"],
    ...["client gone", "killed after the client left", "waitUntil killed"],
    ...["upstream slow", "upstream hangs", "upstream drips", "upstream oversized"],
    ...["upstream malformed", "upstream more items than asked", "upstream resets"],
    ...["sent again", "under way", "replayed"],
    ...["upstream two at once", "hedged", "hedge won"],
    ...["upstream 403", "upstream 404", "upstream 500"],
  ])("has met the fault %j often", (kind) => {
    expect(report.faults[kind]).toBeGreaterThan(50);
  });

  it("replays a seed exactly", async () => {
    for (let seed = 1; seed <= 25; seed++) {
      expect(await runSeed(seed)).toEqual(await runSeed(seed));
    }
  });

  it("is another world for another seed", async () => {
    expect((await runSeed(1)).trace).not.toEqual((await runSeed(2)).trace);
  });
});
