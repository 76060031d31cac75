import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const run = (...options: string[]) =>
  promisify(execFile)(process.execPath, ["test/simulation/main.ts", ...options]);

describe("npm run simulate", () => {
  it.each(["1", "1795237808", "999999999999999"])("prints one object for seed %s", async (seed) => {
    const { stdout } = await run("--seed", seed, "--runs", "2", "--json");
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({ runs: 2, violations: [] });
    const keys = Object.keys(z.record(z.string(), z.unknown()).parse(report));
    expect(keys).toEqual(["runs", "requests", "services", "faults", "violations"]);
  });

  it.each([["x"], ["-1"], ["1.5"], ["1000000000000000"], [""]])("refuses seed %j", async (seed) => {
    await expect(run(`--seed=${seed}`, "--runs", "1")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("A whole number of at most 15 digits."),
    });
  });
});
