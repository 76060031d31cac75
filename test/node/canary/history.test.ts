import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { follow, newest, type Run, readHistory, writeRun } from "../../../infra/canary/history.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "canary-history-"));
});

afterAll(() => rm(folder, { recursive: true }));

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString();

/** Runs one after the other, in which one thing was right or wrong; null where it was not tried. */
function runsOf(...rights: readonly (boolean | null)[]): Run[] {
  const runs: Run[] = [];
  for (const [minute, right] of rights.entries()) {
    const seen = right === null ? [] : [{ name: "a", right }];
    runs.push(follow(runs, seen, at(minute)));
  }
  return runs;
}

const lastOf = (...rights: readonly (boolean | null)[]) => runsOf(...rights).at(-1)?.standings[0];

describe("the history of a line", () => {
  test("says since when it is wrong, and when it was last right", () => {
    expect(lastOf(true, true, false, false)).toEqual({
      ...{ name: "a", right: false },
      ...{ since: at(2), last_right: at(1) },
    });
  });

  test("says that it was never seen right", () => {
    expect(lastOf(false, false)).toMatchObject({ since: at(0), last_right: null });
  });

  test("begins anew when it is right again", () => {
    expect(lastOf(true, false, true)).toMatchObject({ since: at(2), last_right: at(2) });
  });

  test("goes on over runs that did not try it", () => {
    expect(lastOf(true, false, null, false)).toMatchObject({ since: at(1), last_right: at(0) });
  });

  test("forgets nothing when the oldest runs are dropped", () => {
    const runs = newest(runsOf(true, false, false, false), 2);
    expect(runs.map((run) => run.at)).toEqual([at(2), at(3)]);
    const next = follow(runs, [{ name: "a", right: false }], at(4));
    expect(next.standings[0]).toMatchObject({ since: at(1), last_right: at(0) });
  });
});

describe("the file of the history", () => {
  test("gets a line for each run, and is read again", async () => {
    const file = join(folder, "runs.jsonl");
    for (const run of runsOf(true, false)) await writeRun(await readHistory(file), run);
    expect((await readFile(file, "utf8")).split("\n").length).toBe(3);
    expect((await readHistory(file)).runs).toEqual(runsOf(true, false));
  });

  test("drops the oldest run once it is full, and leaves no other file", async () => {
    const file = join(folder, "full.jsonl");
    const runs = Array.from({ length: 1_000 }, (_, minute) => ({ at: at(minute), standings: [] }));
    await writeFile(file, runs.map((run) => `${JSON.stringify(run)}\n`).join(""));
    await writeRun(await readHistory(file), { at: at(1_000), standings: [] });
    const kept = (await readHistory(file)).runs;
    expect([kept.length, kept[0]?.at, kept.at(-1)?.at]).toEqual([1_000, at(1), at(1_000)]);
    expect(await readdir(folder)).not.toContain("full.jsonl.new");
  });

  test("has a bound in bytes, but always the last run", () => {
    const runs = runsOf(true, false, true);
    const bytes = JSON.stringify(runs[2]).length + 1;
    expect(newest(runs, 10, bytes)).toEqual(runs.slice(2));
    expect(newest(runs, 10, 1)).toEqual(runs.slice(2));
  });

  test.each(["microblog https://x.com/a/status/1\n", '{"at":"today","standings":[]}\n', "[]\n"])(
    "is left alone when it is something else: %j",
    async (text) => {
      const file = join(folder, "other.txt");
      await writeFile(file, text);
      await expect(readHistory(file)).rejects.toThrow(
        `${file}, line 1: this is no run of the canary. Name another file for --history.`,
      );
      expect(await readFile(file, "utf8")).toBe(text);
    },
  );
});
