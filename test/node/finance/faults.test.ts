import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountsNeeded, generate } from "../../../infra/finance/generate/generate.ts";
import { inOrder, makeFolder, reconciled } from "./exports.ts";

/** `npm run test:finance` uses more seeds than there is time for in every run of the tests. */
const SEEDS = process.env["npm_lifecycle_event"] === "test:finance" ? 50 : 2;
const FAULTS = 2;

let home: Awaited<ReturnType<typeof makeFolder>>;
beforeAll(async () => {
  home = await makeFolder();
});
afterAll(() => home.remove());

describe("reconciling an invented month", () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed + 1))(
    "finds every planted fault and nothing else, seed %i",
    async (seed) => {
      const accounts = accountsNeeded(FAULTS) + seed;
      const to = join(home.folder, `faults-${seed}`);
      const made = await generate({ records: accounts * 8, accounts, seed, faults: FAULTS, to });
      const { findings } = await reconciled([to]);
      const planted = made.planted.flatMap((fault) => fault.findings);
      expect(made.planted.length).toBeGreaterThan(50);
      expect(inOrder(findings)).toEqual(inOrder(planted));
    },
    60_000,
  );

  it("finds nothing where nothing is planted, in any combination of the exports", async () => {
    const to = join(home.folder, "clean");
    const made = await generate({ records: 4_000, accounts: 300, seed: 99, faults: 0, to });
    const sets = [
      [made.closing],
      [made.opening],
      [made.opening, made.closing],
      [made.opening, made.day],
      [to],
    ];
    for (const folders of sets) {
      const { answer, findings } = await reconciled(folders);
      expect(answer.ok).toBe(true);
      expect(findings).toEqual([]);
    }
  }, 60_000);

  it("makes the same exports of the same seed", async () => {
    const wanted = { records: 400, accounts: 70, seed: 5, faults: 1 };
    const first = await generate({ ...wanted, to: join(home.folder, "first") });
    const again = await generate({ ...wanted, to: join(home.folder, "again") });
    expect(again.planted).toEqual(first.planted);
  });
});
