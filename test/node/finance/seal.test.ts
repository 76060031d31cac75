import { execFile } from "node:child_process";
import { cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generate } from "../../../infra/finance/generate/generate.ts";
import { checkChain } from "../../../infra/finance/seal/check-chain.ts";
import { monthAfter } from "../../../infra/finance/seal/months.ts";
import { readSeal, SEAL_FILE, writeSeal } from "../../../infra/finance/seal/seal.ts";
import { makeSealKey } from "../../../infra/ops/seal-key.ts";
import { take } from "../../../infra/terminal/answer.ts";
import { makeFolder } from "./exports.ts";

const PATIENCE_MS = 180_000;

let home: Awaited<ReturnType<typeof makeFolder>>;
let keyFile: string;
let publicKey: string;
let month: string;
let sealed: string;

function command(file: string, ...args: string[]) {
  const path = new URL(`../../../infra/finance/${file}`, import.meta.url).pathname;
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [path, ...args], (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

beforeAll(async () => {
  home = await makeFolder();
  keyFile = join(home.folder, "seal.pem");
  take(await makeSealKey(keyFile));
  publicKey = await readFile(`${keyFile}.pub`, "utf8");
  month = join(home.folder, "month");
  await generate({ records: 300, accounts: 40, seed: 3, faults: 0, to: month });
  sealed = join(home.folder, "2026-10");
  const options = ["--month", "2026-10", "--out", sealed, "--seal-key", keyFile];
  expect((await command("main.ts", month, ...options)).code).toBe(0);
}, PATIENCE_MS);
afterAll(() => home.remove());

let copies = 0;

/** A copy of the sealed month that a test may change. */
async function copied(): Promise<string> {
  const folder = join(home.folder, `copy-${copies++}`);
  await cp(sealed, folder, { recursive: true });
  return folder;
}

/** A month after the sealed one, as closing it would seal it. */
async function following(name: string, previous: string | null): Promise<string> {
  const folder = await copied();
  const text = await readFile(join(folder, SEAL_FILE), "utf8");
  const { content, sha256 } = take(readSeal(text, publicKey));
  const before = previous === null ? null : { month: "2026-10", sha256: previous || sha256 };
  const next = { ...content, month: name, previous: before };
  await writeFile(join(folder, SEAL_FILE), take(writeSeal(next, await readFile(keyFile, "utf8"))));
  return folder;
}

async function problemOf(...folders: string[]): Promise<string> {
  const checked = await checkChain(folders, publicKey, []);
  return checked.ok ? "nothing" : checked.problem;
}

describe("a sealed month", () => {
  it(
    "is checked offline with its results and its exports",
    async () => {
      const pub = ["--public-key", `${keyFile}.pub`];
      const { code, stdout } = await command("seal/main.ts", sealed, ...pub, "--exports", month);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^2026-10 {2}sealed and unchanged: 10 results; (\d+) of \1 files of exports/,
      );
    },
    PATIENCE_MS,
  );

  it(
    "is not written over",
    async () => {
      const again = await command("main.ts", month, "--month", "2026-10", "--out", sealed);
      expect(again.code).toBe(2);
      expect(again.stderr).toContain("it holds a sealed month. Name another folder.");
    },
    PATIENCE_MS,
  );

  it.each(["usage.csv", "report.html", "balances.parquet", "summary.json"])(
    "shows that %s was changed or removed",
    async (name) => {
      const folder = await copied();
      const bytes = await readFile(join(folder, name));
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      await writeFile(join(folder, name), bytes);
      expect(await problemOf(folder)).toBe(
        `${join(folder, name)}: it was changed after 2026-10 was sealed.`,
      );
      await rm(join(folder, name));
      expect(await problemOf(folder)).toBe(
        `${join(folder, name)}: it was removed after 2026-10 was sealed.`,
      );
    },
  );

  it(
    "covers the prices that it was valued with, and the statements",
    async () => {
      const out = join(home.folder, "valued");
      const prices = ["--prices", "infra/finance/money/prices.example.toml", "--statements"];
      const options = ["--month", "2026-10", "--out", out, "--seal-key", keyFile, ...prices];
      expect(await command("main.ts", month, ...options)).toMatchObject({ code: 0 });
      expect(await problemOf(out)).toBe("nothing");
      const [statement = ""] = await readdir(join(out, "statements"));
      for (const name of ["prices.toml", join("statements", statement)]) {
        const path = join(out, name);
        const text = await readFile(path, "utf8");
        await writeFile(path, `${text} `);
        expect(await problemOf(out)).toBe(`${path}: it was changed after 2026-10 was sealed.`);
        await writeFile(path, text);
      }
    },
    PATIENCE_MS,
  );

  it("shows that a file was added, or that an export was changed", async () => {
    const folder = await copied();
    await writeFile(join(folder, "late.csv"), "");
    expect(await problemOf(folder)).toContain("late.csv: it was added after 2026-10 was sealed.");
    const other = join(home.folder, "other");
    await generate({ records: 301, accounts: 40, seed: 3, faults: 0, to: other });
    const checked = await checkChain([sealed], publicKey, [other]);
    expect(checked).toMatchObject({
      problem: expect.stringMatching(/^The export's file .* was changed after 2026-10 was sealed/),
    });
  });

  it("shows that the seal itself was changed, or is of another key", async () => {
    const folder = await copied();
    const path = join(folder, SEAL_FILE);
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('\\"discrepancies\\": 0', '\\"discrepancies\\": 1'));
    expect(await problemOf(folder)).toContain("or it was changed after it was signed");
    const thief = join(home.folder, "thief.pem");
    take(await makeSealKey(thief));
    const { content } = take(readSeal(text, publicKey));
    await writeFile(path, take(writeSeal(content, await readFile(thief, "utf8"))));
    expect(await problemOf(folder)).toContain("it was not signed with this key");
    await writeFile(path, "{}");
    expect(await problemOf(folder)).toContain("it is no seal, or it was damaged");
  });
});

describe("a chain of sealed months", () => {
  it("holds when each names the one before, in any order of the folders", async () => {
    expect(await problemOf(await following("2026-11", ""), sealed)).toBe("nothing");
  });

  it("is broken by a gap, by a month twice, and by another seal of the month before", async () => {
    expect(await problemOf(sealed, await following("2026-12", ""))).toContain("does not follow");
    expect(await problemOf(sealed, await copied())).toContain("does not follow");
    const other = await following("2026-11", "0".repeat(64));
    expect(await problemOf(sealed, other)).toContain("names another seal of 2026-10");
    expect(await problemOf(sealed, await following("2026-11", null))).toContain("another seal");
  });

  it("goes on over the end of a year", () => {
    expect([monthAfter("2026-10"), monthAfter("2026-12")]).toEqual(["2026-11", "2027-01"]);
  });
});

describe("the key of seals", () => {
  it("is its owner's alone, and never replaced", async () => {
    expect((await stat(keyFile)).mode & 0o077).toBe(0);
    expect(await makeSealKey(keyFile)).toMatchObject({ ok: false });
    expect(await readFile(`${keyFile}.pub`, "utf8")).toBe(publicKey);
  });

  it("is refused where it is none", () => {
    expect(readSeal("{}", "no key")).toMatchObject({ ok: false });
  });
});
