import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Item } from "../../../src/store/dynamodb.ts";
import { type ExportWriter, openExport, type Period } from "../export/write.ts";
import type { Finding } from "../prove/findings.ts";
import { CLOSING_MS, DAY_END_MS, MONTH, OPENING_MS } from "./calendar.ts";
import { type Exhibits, exhibitsOf } from "./exhibits.ts";
import type { Fault, Site } from "./fault.ts";
import { FAULTS } from "./faults.ts";
import { inventLife, plainRequest } from "./invent.ts";
import type { Life, Request } from "./life.ts";
import { macFindings } from "./mac-findings.ts";
import { macKeyOf } from "./macs.ts";
import { createRandom } from "./random.ts";

export interface Wanted {
  /** Numbers of usage records to write and of accounts to create. */
  readonly records: number;
  readonly accounts: number;
  readonly seed: number;
  /** How many faults of each kind to plant. */
  readonly faults: number;
  readonly to: string;
  /** Whether each record has a MAC; its key is then in the folder's `mac.key`. */
  readonly macs?: boolean;
}

/** The planted faults, and what reconciling opening, day and closing must find. */
export interface Planted {
  readonly kind: string;
  /** What accountants call it. */
  readonly name: string;
  readonly findings: readonly Finding[];
  /** What comparing with the API keys must find besides. */
  readonly keyFindings: readonly Finding[];
  /** What verifying the MACs must find besides. */
  readonly macFindings: readonly Finding[];
}

/** What was generated. */
export interface Generated {
  readonly month: string;
  readonly opening: string;
  readonly day: string;
  readonly closing: string;
  readonly keys: string;
  readonly planted: readonly Planted[];
}

const KINDS = Object.entries(FAULTS);

/** At most every second account gets a fault. */
export const accountsNeeded = (faults: number) => 2 * KINDS.length * faults;

/**
 * Writes a month of a service that has run since September: a full export at the month's beginning,
 * an incremental one of its first day, and a full one ten minutes after its end.
 */
export async function generate(wanted: Wanted): Promise<Generated> {
  const folders = {
    opening: join(wanted.to, "opening"),
    day: join(wanted.to, "day"),
    closing: join(wanted.to, "closing"),
    keys: join(wanted.to, "keys"),
  };
  const opening = await openBoth(folders.opening, { kind: "full", atMs: OPENING_MS });
  const window = { kind: "incremental", fromMs: OPENING_MS, toMs: DAY_END_MS } as const;
  const day = await openBoth(folders.day, window);
  const closing = await openBoth(folders.closing, { kind: "full", atMs: CLOSING_MS });
  const keys = await openOne(folders.keys, { kind: "full", atMs: CLOSING_MS }, KEYS_TABLE);
  const planted: Planted[] = [];
  const counts = shareOut(wanted);
  for (let number = 0; number < wanted.accounts; number++) {
    const { exhibits, fault } = makeAccount(wanted, number, counts[number] ?? 1);
    if (fault !== null) planted.push(fault);
    for (const one of exhibits) await writeOne({ opening, day, closing, keys }, one);
  }
  await keys.finish();
  await writeMacKey(wanted);
  for (const { accounts, ledger } of [opening, day, closing]) {
    await accounts.finish();
    await ledger.finish();
  }
  return { month: MONTH, ...folders, planted };
}

async function writeMacKey({ macs, seed, to }: Wanted): Promise<void> {
  const { id, hex } = macKeyOf(seed);
  if (macs === true) await writeFile(join(to, "mac.key"), `${id}:${hex}\n`);
}

interface All {
  readonly opening: Both;
  readonly day: Both;
  readonly closing: Both;
  readonly keys: ExportWriter;
}

async function writeOne({ opening, day, closing, keys }: All, one: Exhibits): Promise<void> {
  await writeFull(opening, [one.opening], one.openingLedger);
  await writeDay(day, one);
  await writeFull(closing, [one.closing, ...one.more], one.closingLedger);
  for (const item of one.keys) await keys.write(JSON.stringify({ Item: item }));
}

/** How many requests each account has. At least one; a few accounts have most of them. */
function shareOut({ records, accounts, seed }: Wanted): number[] {
  const random = createRandom(seed, -1);
  const weights = Array.from({ length: accounts }, () => 1 / (0.02 + random.next()));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let weighed = 0;
  let given = 0;
  return weights.map((weight, at) => {
    weighed += weight;
    const upTo = Math.round((weighed / total) * (records - accounts)) + at + 1;
    const count = upTo - given;
    given = upTo;
    return count;
  });
}

interface Made {
  /** Of the account, and of its partner if its fault needs one. */
  readonly exhibits: readonly Exhibits[];
  readonly fault: Planted | null;
}

function makeAccount(wanted: Wanted, number: number, requests: number): Made {
  const { seed, accounts, faults } = wanted;
  const key = wanted.macs === true ? macKeyOf(seed) : null;
  const spacing = Math.floor(accounts / Math.max(1, KINDS.length * faults));
  const place = number / spacing;
  const isPlace = Number.isInteger(place) && place < KINDS.length * faults;
  const [kind, fault] = (isPlace ? KINDS[place % KINDS.length] : undefined) ?? [];
  if (kind === undefined || fault === undefined) {
    return { exhibits: [exhibitsOf(inventLife(seed, number, requests), key)], fault: null };
  }
  const site = plant(fault, { seed, number, requests });
  const other = plant(fault, { seed, number: accounts + number, requests: 1 });
  const exhibits = exhibitsOf(site.life, key);
  const partner = { site: other, exhibits: exhibitsOf(other.life, key) };
  fault.spoil?.(exhibits, site, partner);
  const shown = fault.withPartner === true ? [exhibits, partner.exhibits] : [exhibits];
  return {
    exhibits: shown,
    fault: {
      kind,
      name: fault.name,
      findings: fault.findings(exhibits, site, partner),
      keyFindings: fault.keyFindings?.(exhibits, site, partner) ?? [],
      macFindings: macFindings(
        key,
        shown.flatMap(({ closingLedger }) => closingLedger),
      ),
    },
  };
}

function plant(fault: Fault, at: { seed: number; number: number; requests: number }): Site {
  const planted: Request[] = [];
  const life: Life = inventLife(at.seed, at.number, at.requests - 1, (begun, random) => {
    const request = plainRequest(random, fault.plantedMs);
    begun.requests.push(request);
    planted.push(request);
    fault.alter?.({ life: begun, request });
  });
  const [request] = planted;
  if (request === undefined) throw new Error("nothing was planted");
  return { life, request };
}

interface Both {
  readonly accounts: ExportWriter;
  readonly ledger: ExportWriter;
}

async function openBoth(folder: string, period: Period): Promise<Both> {
  return {
    accounts: await openOne(folder, period, ["pmrs-accounts", "a"]),
    ledger: await openOne(folder, period, ["pmrs-ledger", "b"]),
  };
}

const KEYS_TABLE = ["pmrs-api-keys", "c"] as const;

/** @param of the table, and the last digit of its export's id */
function openOne(folder: string, period: Period, [table, last]: readonly [string, string]) {
  const atMs = period.kind === "full" ? period.atMs : period.toMs;
  const exportId = `${String(atMs).padStart(14, "0")}-0000000${last}`;
  return openExport({ folder, period, table, exportId });
}

async function writeFull(
  to: Both,
  accounts: readonly (Item | null)[],
  ledger: readonly Item[],
): Promise<void> {
  for (const account of accounts) {
    if (account !== null) await to.accounts.write(JSON.stringify({ Item: account }));
  }
  for (const item of ledger) {
    const behind = to.ledger.write(JSON.stringify({ Item: item }));
    if (behind !== undefined) await behind;
  }
}

async function writeDay(to: Both, { opening, dayEnd, dayLedger, dayTampering }: Exhibits) {
  const [before, after] = [JSON.stringify(opening), JSON.stringify(dayEnd)];
  if (dayEnd !== null && before !== after) {
    await to.accounts.write(change(OPENING_MS, opening, dayEnd));
  }
  for (const { item, writtenMs } of dayLedger) await to.ledger.write(change(writtenMs, null, item));
  for (const { before, after } of dayTampering) {
    await to.ledger.write(change(DAY_END_MS - 1, before, after));
  }
}

/** A line of an incremental export. An insert has no old image, a deletion no new one. */
function change(writtenMs: number, before: Item | null, after: Item | null): string {
  return JSON.stringify({
    Metadata: { WriteTimestampMicros: { N: String(writtenMs * 1000) } },
    Keys: {},
    ...(before !== null && { OldImage: before }),
    ...(after !== null && { NewImage: after }),
  });
}
