import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openExport } from "../../../infra/finance/export/write.ts";
import { withMac } from "../../../infra/finance/generate/macs.ts";
import { LEDGER_ATTRIBUTES } from "../../../infra/finance/load/images.ts";
import { readMacKeys } from "../../../infra/finance/read/mac-keys.ts";
import type { MacKey } from "../../../src/credits/record-mac.ts";
import type { Item } from "../../../src/store/dynamodb.ts";
import { makeFolder, reconciled } from "./exports.ts";

const OLD: MacKey = { id: "old", hex: "1".repeat(64) };
const NEW: MacKey = { id: "new", hex: "2".repeat(64) };
const AT_MS = Date.UTC(2026, 10, 1);
const SINCE_MS = Date.UTC(2026, 9, 15);

let home: Awaited<ReturnType<typeof makeFolder>>;
beforeAll(async () => {
  home = await makeFolder();
});
afterAll(() => home.remove());

function adjustment(reference: string, more: Item = {}): Item {
  return {
    account_period: { S: "acct_1#credits" },
    record_id: { S: `adjustment:${reference}` },
    kind: { S: "adjustment" },
    account: { S: "acct_1" },
    nonce: { S: "n" },
    reference: { S: reference },
    credits: { N: "5" },
    reason: { S: "für „zwei“ 🎈 — it's 2/3" },
    created_at: { S: "2026-10-20T12:00:00.000Z" },
    ...more,
  };
}

let exports = 0;

/** An account with these adjustments of 5 credits, as lines of an export. */
async function exported(records: readonly Item[], line = (text: string) => text): Promise<string> {
  const folder = join(home.folder, String(exports++));
  const sum = { N: String(5 * records.length) };
  const none = { N: "0" };
  const account: Item = {
    account: { S: "acct_1" },
    ...{
      available: sum,
      granted: sum,
      held: none,
      charged: none,
      holds: { M: {} },
      pending: { M: {} },
    },
    movements: { N: String(records.length) },
  };
  const period = { kind: "full", atMs: AT_MS } as const;
  for (const [table, exportId, items] of [
    ["pmrs-accounts", "1-a", [account]],
    ["pmrs-ledger", "1-b", records],
  ] as const) {
    const writer = await openExport({ folder, period, table, exportId });
    for (const Item of items) await writer.write(line(JSON.stringify({ Item })));
    await writer.finish();
  }
  return folder;
}

async function checksOf(folder: string, keys: readonly MacKey[], sinceMs: number | null = null) {
  const { answer, findings } = await reconciled([folder], { keys, sinceMs });
  const sentences = answer.ok ? answer.value.omitted.sentences : [answer.problem];
  const found = findings.map(({ check, request }) => `${check} ${request?.split(":")[1]}`);
  return { found: found.sort(), sentences };
}

describe("verifying MACs", () => {
  it("accepts every record of the service's under any of the keys, whatever text is in it", async () => {
    const folder = await exported([withMac(OLD, adjustment("A")), withMac(NEW, adjustment("B"))]);
    expect((await checksOf(folder, [OLD, NEW])).found).toEqual([]);
  });

  it("accepts it in each form in which exports write numbers", async () => {
    const records = [withMac(NEW, adjustment("A"))];
    for (const form of ['"credits":5', '"credits":"5"']) {
      const folder = await exported(records, (text) => text.replace('"credits":{"N":"5"}', form));
      expect((await checksOf(folder, [NEW])).found).toEqual([]);
    }
  });

  it("finds a refund that was moved to another purchase", async () => {
    const refund = withMac(NEW, adjustment("A", { refunds: { S: "INV-1" } }));
    expect((await checksOf(await exported([refund]), [NEW])).found).not.toContain("mac_wrong A");
    const moved = { ...refund, refunds: { S: "INV-2" } };
    expect((await checksOf(await exported([moved]), [NEW])).found).toContain("mac_wrong A");
  });

  it("finds what was changed, what has no MAC, and what is under a key that nobody gave", async () => {
    const folder = await exported([
      { ...withMac(NEW, adjustment("A")), created_at: { S: "2026-10-21T12:00:00.000Z" } },
      adjustment("B"),
      withMac(OLD, adjustment("C")),
      withMac(NEW, adjustment("D")),
      { ...adjustment("E"), mac: withMac(NEW, adjustment("D"))["mac"] ?? { NULL: true } },
    ]);
    expect((await checksOf(folder, [NEW])).found).toEqual([
      "mac_key_unknown C",
      "mac_missing B",
      "mac_wrong A",
      "mac_wrong E",
    ]);
  });

  it("accepts and counts records without a MAC from before a date, and none after it", async () => {
    const before = { created_at: { S: "2026-10-14T12:00:00.000Z" } };
    const folder = await exported([adjustment("A", before), adjustment("B")]);
    const { found, sentences } = await checksOf(folder, [NEW], SINCE_MS);
    expect(found).toEqual(["mac_missing B"]);
    expect(sentences).toContain(
      "1 records have no MAC. They were accepted, because they are dated before --mac-since.",
    );
  });

  it("says so where no key was given", async () => {
    const { answer } = await reconciled([await exported([adjustment("A")])]);
    const sentences = answer.ok ? answer.value.omitted.sentences : [];
    expect(sentences.join("\n")).toContain("No MAC key was given (--mac-key).");
  });
});

describe("the attributes that a MAC covers", () => {
  it("are all that schema.md has for ledger records", async () => {
    const page = await readFile("src/credits/schema.md", "utf8");
    const section = page.slice(page.indexOf("## ledger"), page.indexOf("## api_keys"));
    const named = [...section.matchAll(/^\|(.*?)\|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(LEDGER_ATTRIBUTES.map(({ name }) => name).sort()).toEqual([...new Set(named)].sort());
  });
});

describe("a file of MAC keys", () => {
  it("is refused in one sentence that shows no key", async () => {
    const secret = "3".repeat(64);
    const env = { LEDGER_MAC_KEY: `k1:${secret} k1:${secret}` };
    const read = await readMacKeys(undefined, env);
    expect(read).toEqual({
      ok: false,
      problem: expect.stringMatching(/^LEDGER_MAC_KEY: each line must be an id, a colon/),
    });
    expect(JSON.stringify(read)).not.toContain(secret);
    expect(await readMacKeys("/nowhere/mac.key", {})).toMatchObject({ ok: false });
    expect(await readMacKeys(undefined, {})).toEqual({ ok: true, value: null });
  });
});
