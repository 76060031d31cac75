import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, cp, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountsNeeded, generate } from "../../../infra/finance/generate/generate.ts";
import { makeFolder, manifestFolders, reconciled, rewrite } from "./exports.ts";

let home: Awaited<ReturnType<typeof makeFolder>>;
let closing: string;
let opening: string;
let day: string;

beforeAll(async () => {
  home = await makeFolder();
  const to = join(home.folder, "month");
  const wanted = { records: 300, accounts: 40, seed: 3, faults: 0, to };
  ({ closing, opening, day } = await generate(wanted));
});
afterAll(() => home.remove());

let copies = 0;

/** A copy of the closing export that a test may damage. */
async function copied() {
  const folder = join(home.folder, `copy-${copies++}`);
  await cp(closing, folder, { recursive: true });
  const manifests = await manifestFolders(folder);
  const data = join(manifests.ledger, "data");
  const [file = ""] = (await readdir(data)).sort();
  return { folder, ...manifests, data: join(data, file) };
}

async function problemOf(...folders: string[]): Promise<string> {
  const { answer } = await reconciled(folders);
  return answer.ok ? "it was trusted" : answer.problem;
}

/** Changes the ledger's first data file, and its manifest with it. */
async function changeItems(
  copy: Awaited<ReturnType<typeof copied>>,
  change: (text: string) => string,
) {
  await writeData(copy, gzipSync(change(gunzipSync(await readFile(copy.data)).toString())));
}

function firstLines(text: string, count: number): string {
  return `${text.split("\n").slice(0, count).join("\n")}\n`;
}

async function writeData(copy: Awaited<ReturnType<typeof copied>>, bytes: Buffer) {
  await writeFile(copy.data, bytes);
  const md5 = createHash("md5").update(bytes).digest("base64");
  await rewrite(join(copy.ledger, "manifest-files.json"), (text) =>
    text.replace(/"md5Checksum":"[^"]*"/, `"md5Checksum":"${md5}"`),
  );
}

describe("an export that cannot be trusted is refused with its file and the reason", () => {
  it("when a data file is truncated", async () => {
    const { folder, data } = await copied();
    await truncate(data, 100);
    expect(await problemOf(folder)).toMatch(`${data}: its MD5 is not the one in the manifest`);
  });

  it("when a data file is missing", async () => {
    const { folder, data } = await copied();
    await rm(data);
    expect(await problemOf(folder)).toMatch(/the data file \S+ is missing.* Copy the export again/);
  });

  it.each(["manifest-summary", "manifest-files"])("when %s has another checksum", async (name) => {
    const { folder, ledger } = await copied();
    await writeFile(join(ledger, `${name}.checksum`), "AAAAAAAAAAAAAAAAAAAAAA==");
    expect(await problemOf(folder)).toMatch(`${name}.json: its MD5 is not`);
  });

  it("when a checksum file or a manifest is missing", async () => {
    const one = await copied();
    await rm(join(one.ledger, "manifest-files.checksum"));
    expect(await problemOf(one.folder)).toMatch("manifest-files.checksum is missing");
    await rm(join(one.ledger, "manifest-files.json"));
    expect(await problemOf(one.folder)).toMatch("manifest-files.json is missing");
  });

  it("when there is no export at all, or it is not finished", async () => {
    expect(await problemOf(join(home.folder, "nowhere"))).toMatch("there is no such folder");
    const { folder, ledger, accounts } = await copied();
    for (const place of [ledger, accounts]) await rm(join(place, "manifest-summary.json"));
    expect(await problemOf(folder)).toMatch("no manifest-summary.json");
  });

  it("when it is of a foreign table", async () => {
    const { folder, ledger } = await copied();
    await rewrite(join(ledger, "manifest-summary.json"), (text) =>
      text.replaceAll("pmrs-ledger", "pmrs-sessions"),
    );
    expect(await problemOf(folder)).toMatch(
      "an export of the table pmrs-sessions. Only exports of",
    );
    const other = await copied();
    await rewrite(join(other.ledger, "manifest-summary.json"), (text) =>
      text.replaceAll("pmrs-ledger", "shop-ledger"),
    );
    expect(await problemOf(other.folder)).toMatch("Reconcile one set of tables at a time");
  });

  it("when it is of another version of the export or in another format", async () => {
    const { folder, ledger } = await copied();
    const summary = join(ledger, "manifest-summary.json");
    await rewrite(summary, (text) => text.replace("2020-06-30", "2031-01-01"));
    expect(await problemOf(folder)).toMatch("an export of version 2031-01-01");
    await rewrite(summary, (text) =>
      text.replace("2031-01-01", "2020-06-30").replace("DYNAMODB_JSON", "ION"),
    );
    expect(await problemOf(folder)).toMatch("in ION; only version");
  });

  it.each([
    ["renames an attribute", '"charge":', '"cost":', "whole number of charged credits (charge)"],
    [
      "has another kind of record",
      '"kind":{"S":"grant"}',
      '"kind":{"S":"gift"}',
      "kind: usage, grant, purchase or adjustment (kind)",
    ],
    [
      "counts in fractions",
      '"reserved":{"N":"',
      '"reserved":{"N":"0.5',
      "whole number of reserved credits (reserved)",
    ],
    [
      "has another type",
      '"account_period":{"S":',
      '"account_period":{"B":',
      "place in the books (account_period)",
    ],
    [
      "has other request ids",
      '"record_id":{"S":"0',
      '"record_id":{"S":"req-0',
      "number of its request or top-up (record_id)",
    ],
  ])("when another version of the service %s", async (_, from, to, words) => {
    const copy = await copied();
    await changeItems(copy, (text) => text.replaceAll(from, to));
    const problem = await problemOf(copy.folder);
    expect(problem).toContain(
      ` has no proper ${words}. It was damaged, or it is of another service`,
    );
    expect(problem).toMatch(new RegExp(`^${copy.data}, line \\d+: the ledger record `));
  });

  it("when a file holds other items than its manifest says, or no JSON", async () => {
    const copy = await copied();
    await changeItems(copy, (text) => text.slice(text.indexOf("\n") + 1));
    expect(await problemOf(copy.folder)).toMatch(/holds \d+ items, its manifest says \d+/);
    await changeItems(copy, () => '{"Item":{"account_period"');
    expect(await problemOf(copy.folder)).toMatch(
      `${copy.data}, line 1: the entry is not whole: it breaks off or was overwritten. Copy`,
    );
    await rewrite(join(copy.ledger, "manifest-files.json"), (text) =>
      text.replace(/"itemCount":\d+/, '"itemCount":1'),
    );
    expect(await problemOf(copy.folder)).toMatch(
      /its files hold 1 items, manifest-summary.json says/,
    );
  });

  it.each([
    [
      "an entry breaks off",
      (text: string) => `${text.slice(0, -9)}\n`,
      "line 250: the entry is not whole",
    ],
    [
      "an entry is overwritten",
      (text: string) => text.replace(/^(.*\n.*\n)(.{9}).{9}/, "$1$2         "),
      "line 3: the entry is not whole",
    ],
    [
      "a line holds something else",
      (text: string) => text.replace(/^.*\n/, '["x"]\n'),
      "line 1: the line holds no item of the table",
    ],
    [
      "an amount is a word",
      (text: string) => text.replace(/"kind":\{"S":"usage"\}/, '"kind":"usage"'),
      "line 3: the entry's kind has not the form of an export",
    ],
  ])("when %s, with file and line", async (_, change, place) => {
    const copy = await copied();
    await changeItems(copy, (text) => change(firstLines(text, 250)));
    const problem = await problemOf(copy.folder);
    expect(problem).toContain(`${copy.data}, ${place}`);
    expect(problem.replace(copy.data, "")).not.toMatch(/JSON|Error|cast/i);
  });

  it("when the compressed content of a file is damaged, after the last line that can be read", async () => {
    const copy = await copied();
    const bytes = await readFile(copy.data);
    await writeData(copy, bytes.subarray(0, bytes.length - 200));
    expect(await problemOf(copy.folder)).toMatch(
      new RegExp(`${copy.data}, after line \\d+: the file breaks off or was overwritten there`),
    );
  });

  it("when the tables are not of one time, or one is missing", async () => {
    const { folder, ledger, accounts } = await copied();
    await rewrite(join(ledger, "manifest-summary.json"), (text) =>
      text.replace(/"exportTime":"[^"]*"/, '"exportTime":"2026-11-01T00:11:00.000Z"'),
    );
    expect(await problemOf(folder)).toMatch("exported with one and the same time");
    await rm(accounts, { recursive: true });
    expect(await problemOf(folder)).toMatch("has none of the other table beside it");
  });

  it("when windows leave a gap, or have no full export before them", async () => {
    const folder = join(home.folder, "gap");
    await cp(day, folder, { recursive: true });
    for (const place of Object.values(await manifestFolders(folder))) {
      await rewrite(join(place, "manifest-summary.json"), (text) =>
        text.replace(/"exportFromTime":"[^"]*"/, '"exportFromTime":"2026-10-01T01:00:00.000Z"'),
      );
    }
    expect(await problemOf(opening, folder)).toMatch("Add the incremental exports between the two");
    expect(await problemOf(day)).toMatch("There is no full export");
  });
});

describe("an export in another of the forms that occur", () => {
  it("is read without the root folder, with .md5 files and hex checksums", async () => {
    const flat = join(home.folder, "flat");
    const { accounts, ledger } = await copied();
    for (const [place, name] of [
      [accounts, "one"],
      [ledger, "two"],
    ] as const) {
      await cp(place, join(flat, name), { recursive: true });
      const checksum = join(flat, name, "manifest-files.checksum");
      await copyFile(checksum, join(flat, name, "manifest-files.md5"));
      await rm(checksum);
      const hex = Buffer.from(
        await readFile(join(place, "manifest-summary.checksum"), "utf8"),
        "base64",
      );
      await writeFile(join(flat, name, "manifest-summary.checksum"), `${hex.toString("hex")}\n`);
    }
    expect(await problemOf(flat)).toBe("it was trusted");
  });

  it("is read with bare numbers, numbers as strings and attributes that are new", async () => {
    const copy = await copied();
    await changeItems(copy, (text) =>
      text
        .replaceAll(/"charge":\{"N":"(\d+)"\}/g, '"charge":$1')
        .replaceAll(/"reserved":\{"N":"(\d+)"\}/g, '"reserved":"$1"')
        .replaceAll('"kind":', '"discount":{"N":"5"},"kind":'),
    );
    const { answer, findings } = await reconciled([copy.folder]);
    expect(answer.ok).toBe(true);
    expect(findings).toEqual([]);
  });

  it("is counted once when it is named twice", async () => {
    const { answer, findings } = await reconciled([closing, join(closing, "AWSDynamoDB")]);
    expect(answer).toMatchObject({ ok: true, value: { series: { snapshots: { length: 1 } } } });
    expect(findings).toEqual([]);
  });
});

describe("npm run reconcile", () => {
  it.each([
    [
      "0 for a balanced month with its opening",
      () => [opening, closing],
      0,
      /^\nBALANCED\nEvery credit is accounted for/,
    ],
    [
      "3 for an export without an opening, and says what was not compared",
      () => [closing],
      3,
      /^\nBALANCED, but not compared with an opening\n.*\nNOT COMPARED: No earlier export was given/,
    ],
    [
      "3 for a month whose opening is of a later month",
      () => [opening, closing, "--month", "2026-09"],
      3,
      /^\nBALANCED, but not compared with an opening\n.*\nNOT COMPARED: No export from the beginning/,
    ],
    [
      "0 for one that has no opening, when told so",
      () => [closing, "--no-opening"],
      0,
      /^\nBALANCED, but not compared with an opening\n/,
    ],
    ["2 for a month after the export", () => [opening, closing, "--month", "2026-12"], 2, /^$/],
    ["2 for one that is not there", () => [join(home.folder, "no")], 2, /^$/],
    ["2 for arguments that it does not understand", () => [closing, "--month", "13"], 2, /^$/],
    ["2 without arguments", () => [], 2, /^$/],
  ])("exits with %s", async (_, args, code, stdout) => {
    const run = await reconcileCommand(args());
    expect(run.code).toBe(code);
    expect(run.stdout).toMatch(stdout);
  });

  it("exits with 1 and has a sentence with account, request and amounts", async () => {
    const to = join(home.folder, "faulty");
    const wanted = { records: 600, accounts: accountsNeeded(1), seed: 4, faults: 1, to };
    const { planted } = await generate(wanted);
    const { code, stdout } = await reconcileCommand([to, "--month", "2026-10"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\nNOT BALANCED: \d+ discrepancies/);
    const finding = planted.find(({ kind }) => kind === "charge_product")?.findings[0];
    const { request, account } = finding ?? {};
    // The terminal shows the first twenty, the page two hundred, the file all.
    expect(stdout).toContain("… and ");
    const { explained } = await reconciled([to]);
    expect(
      explained.find((one) => one.check === "charge_product" && one.request === request)?.sentence,
    ).toBe(
      `Request ${request} of account ${account} is charged wrongly. Its items give charge 3 for 3 ` +
        "items at 1; the record says charge 4.",
    );
  }, 120_000);

  it("says in one sentence that a month begins after the export, or that --out is a file", async () => {
    const late = await reconcileCommand([closing, "--month", "2026-11"]);
    expect(late).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("2026-11 is not final"),
    });
    const later = await reconcileCommand([closing, "--month", "2026-12"]);
    expect(later.stderr).toMatch(
      /^CANNOT BE RECONCILED\n2026-12 begins after the last export[^\n]*\n$/,
    );
    const file = join(home.folder, "a-file");
    await writeFile(file, "");
    const out = await reconcileCommand([closing, "--out", file]);
    expect(out.code).toBe(2);
    expect(out.stderr).toBe(
      `CANNOT BE RECONCILED\n--out ${file}: this is no folder that can be written to, and none can ` +
        "be made there. Name a folder.\n",
    );
  }, 120_000);

  it("is not misled by a folder without exports beside one with them", async () => {
    const empty = join(home.folder, "empty");
    await mkdir(empty);
    expect(await problemOf(closing, empty)).toMatch(`${empty}: no manifest-summary.json`);
  });
});

describe("npm run ledger:generate", () => {
  it("writes into no folder that holds something", async () => {
    const run = await command(GENERATE, ["--to", home.folder]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`${home.folder} is not empty`);
    expect(await readdir(home.folder)).not.toContain("closing");
  });
});

const MAIN = new URL("../../../infra/finance/main.ts", import.meta.url).pathname;

const GENERATE = new URL("../../../infra/finance/generate/main.ts", import.meta.url).pathname;

function reconcileCommand(args: string[]) {
  return command(MAIN, args);
}

function command(file: string, args: string[]) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [file, ...args], (_, stdout, stderr) => {
      const words = stderr.replaceAll(/^(?:Verifying|Reading|Checking|Writing) .*\n/gm, "");
      resolve({ code: child.exitCode ?? -1, stdout, stderr: words });
    });
  });
}
