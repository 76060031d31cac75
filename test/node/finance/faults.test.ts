import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FAULTS } from "../../../infra/finance/generate/faults.ts";
import { accountsNeeded, generate } from "../../../infra/finance/generate/generate.ts";
import { macKeyOf } from "../../../infra/finance/generate/macs.ts";
import { inOrder, makeFolder, reconciled } from "./exports.ts";

/**
 * `npm run test:finance` uses more seeds than there is time for in every run of the tests;
 * `FINANCE_SEEDS=200 npm run test:finance` as many as it is told.
 */
const SEEDS = Number(
  process.env["FINANCE_SEEDS"] ?? (process.env["npm_lifecycle_event"] === "test:finance" ? 20 : 1),
);
const FAULTS_OF_A_KIND = 2;
const KINDS = Object.keys(FAULTS);

let home: Awaited<ReturnType<typeof makeFolder>>;
beforeAll(async () => {
  home = await makeFolder();
});
afterAll(() => home.remove());

const macsOf = (seed: number) => ({ keys: [macKeyOf(seed)], sinceMs: null });

describe("reconciling an invented month", () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed + 1))(
    "finds every planted fault and nothing else, seed %i",
    async (seed) => {
      const accounts = accountsNeeded(FAULTS_OF_A_KIND) + seed;
      const to = join(home.folder, `faults-${seed}`);
      const made = await generate({
        records: accounts * 8,
        accounts,
        seed,
        faults: FAULTS_OF_A_KIND,
        to,
        macs: true,
      });
      const { findings, explained } = await reconciled([to], macsOf(seed));
      const planted = made.planted.map((fault) => [
        ...fault.findings,
        ...fault.keyFindings,
        ...fault.macFindings,
      ]);
      expect(planted.filter((each) => each.length === 0)).toEqual([]);
      expect(made.planted.length).toBe(KINDS.length * FAULTS_OF_A_KIND);
      expect(inOrder(findings)).toEqual(inOrder(planted.flat()));
      for (const { account, request, expected, found, sentence } of explained) {
        const told = sentence.includes(found) || sentence.includes(expected);
        const named = request === null || sentence.includes(request);
        expect({ sentence, told, named, account: sentence.includes(account) }).toEqual({
          sentence,
          told: true,
          named: true,
          account: true,
        });
      }
    },
    120_000,
  );

  it("finds less without the API keys, and nothing that is not there", async () => {
    const accounts = accountsNeeded(1);
    const to = join(home.folder, "without-keys");
    const made = await generate({ records: accounts * 5, accounts, seed: 77, faults: 1, to });
    const { findings } = await reconciled([made.opening, made.day, made.closing]);
    const planted = made.planted.flatMap((fault) => fault.findings);
    expect(inOrder(findings)).toEqual(inOrder(planted));
  }, 120_000);

  it("knows at least 60 kinds of tampering, each by a name of its own", () => {
    const names = Object.values(FAULTS).map(({ name }) => name);
    expect(names.length).toBeGreaterThanOrEqual(60);
    expect(new Set(names).size).toBe(names.length);
  });

  it("has a page with each kind and its name", async () => {
    const page = await readFile("infra/finance/catalogue.md", "utf8");
    const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, kind, name]) => [
      kind,
      name,
    ]);
    expect(rows).toEqual(Object.entries(FAULTS).map(([kind, { name }]) => [kind, name]));
  });

  it.each(Array.from({ length: SEEDS }, (_, seed) => 1_001 + seed))(
    "finds nothing in a sound month, seed %i",
    async (seed) => {
      const to = join(home.folder, `sound-${seed}`);
      await generate({ records: 1_200, accounts: 120, seed, faults: 0, to, macs: true });
      const { answer, findings } = await reconciled([to], macsOf(seed));
      await rm(to, { recursive: true });
      expect({ ok: answer.ok, findings }).toEqual({ ok: true, findings: [] });
    },
    120_000,
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
  }, 180_000);

  it("makes the same exports of the same seed", async () => {
    const wanted = { records: 900, accounts: accountsNeeded(1), seed: 5, faults: 1 };
    const first = await generate({ ...wanted, to: join(home.folder, "first") });
    const again = await generate({ ...wanted, to: join(home.folder, "again") });
    expect(again.planted).toEqual(first.planted);
  });
});
