import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, cp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generate } from "../../../infra/finance/generate/generate.ts";
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
  const bytes = gzipSync(change(gunzipSync(await readFile(copy.data)).toString()));
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
      text.replaceAll("pmrs-ledger", "pmrs-api-keys"),
    );
    expect(await problemOf(folder)).toMatch(
      "an export of the table pmrs-api-keys. Only exports of",
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
    ["renames an attribute", '"charge":', '"cost":', "charge"],
    ["has another kind of record", '"kind":{"S":"grant"}', '"kind":{"S":"gift"}', "kind"],
    ["counts in fractions", '"reserved":{"N":"', '"reserved":{"N":"0.5', "reserved"],
    ["has another type", '"account_period":{"S":', '"account_period":{"B":', "account_period"],
    ["has other request ids", '"record_id":{"S":"0', '"record_id":{"S":"req-0', "record_id"],
  ])("when another version of the service %s", async (_, from, to, attribute) => {
    const copy = await copied();
    await changeItems(copy, (text) => text.replaceAll(from, to));
    const problem = await problemOf(copy.folder);
    expect(problem).toMatch(`has no proper ${attribute}, so it is no item of the ledger table`);
    expect(problem).toMatch(copy.data);
  });

  it("when a file holds other items than its manifest says, or no JSON", async () => {
    const copy = await copied();
    await changeItems(copy, (text) => text.slice(text.indexOf("\n") + 1));
    expect(await problemOf(copy.folder)).toMatch(/holds \d+ items, its manifest says \d+/);
    await changeItems(copy, () => '{"Item":{"account_period"');
    expect(await problemOf(copy.folder)).toMatch(/cannot be read \(.*Malformed JSON/);
    await rewrite(join(copy.ledger, "manifest-files.json"), (text) =>
      text.replace(/"itemCount":\d+/, '"itemCount":1'),
    );
    expect(await problemOf(copy.folder)).toMatch(
      /its files hold 1 items, manifest-summary.json says/,
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
    ["0 for a balanced export", () => [closing], 0, /^\nBALANCED\nEvery credit is accounted for/],
    ["2 for one that is not there", () => [join(home.folder, "no")], 2, /^$/],
    ["2 for arguments that it does not understand", () => [closing, "--month", "13"], 2, /^$/],
    ["2 without arguments", () => [], 2, /^$/],
  ])("exits with %s", async (_, args, code, stdout) => {
    const run = await reconcileCommand(args());
    expect(run.code).toBe(code);
    expect(run.stdout).toMatch(stdout);
  });

  it("exits with 1 and names account, request, expected and found", async () => {
    const to = join(home.folder, "faulty");
    const wanted = { records: 200, accounts: 70, seed: 4, faults: 1, to };
    const { planted } = await generate(wanted);
    const { code, stdout } = await reconcileCommand([to, "--month", "2026-10"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\nNOT BALANCED: \d+ discrepancies/);
    const finding = planted.find(({ kind }) => kind === "charge_product")?.findings[0];
    expect(stdout).toContain(`charge_product  ${finding?.account}  ${finding?.request}`);
    expect(stdout).toContain("  expected  charge 3 for 3 items at 1\n  found     charge 4");
  });
});

const MAIN = new URL("../../../infra/finance/main.ts", import.meta.url).pathname;

function reconcileCommand(args: string[]): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], (_, stdout) => {
      resolve({ code: child.exitCode ?? -1, stdout });
    });
  });
}
