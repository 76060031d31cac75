import type { MacKey } from "../../../src/credits/record-mac.ts";
import type { Item } from "../../../src/store/dynamodb.ts";
import { CLOSING_MS, DAY_END_MS, OPENING_MS } from "./calendar.ts";
import { accountAt, topUpItem, usageItem } from "./image.ts";
import { keyItems } from "./key-items.ts";
import type { Life } from "./life.ts";
import { withMac } from "./macs.ts";

/** A ledger record and when it was written. */
export interface LedgerEntry {
  readonly item: Item;
  readonly writtenMs: number;
}

/**
 * A ledger record that was changed after it was written, within the day. `after` is null if it was
 * deleted.
 */
export interface Tampering {
  readonly before: Item;
  readonly after: Item | null;
}

/** What the exports show of one account. */
export interface Exhibits {
  /** The account's item in the opening, at the end of the day, and in the closing. */
  opening: Item | null;
  dayEnd: Item | null;
  closing: Item | null;
  /** What the three exports show of the ledger. */
  openingLedger: Item[];
  dayLedger: LedgerEntry[];
  closingLedger: Item[];
  readonly dayTampering: Tampering[];
  /** Further accounts in the closing export. */
  readonly more: Item[];
  /** What the export of the API keys shows. */
  keys: Item[];
}

/** @param key of the records' MACs; null for none */
export function exhibitsOf(life: Life, key: MacKey | null): Exhibits {
  const entries: LedgerEntry[] = [
    ...life.topUps.map((one) => ({
      item: withMac(key, topUpItem(life.account, one)),
      writtenMs: one.recordedMs,
    })),
    ...life.requests.map((one) => ({
      item: withMac(key, usageItem(life.account, one)),
      writtenMs: one.recordedMs,
    })),
  ];
  const before = (timeMs: number) =>
    entries.filter(({ writtenMs }) => writtenMs < timeMs).map(({ item }) => item);
  return {
    opening: accountAt(life, OPENING_MS),
    dayEnd: accountAt(life, DAY_END_MS),
    closing: accountAt(life, CLOSING_MS),
    openingLedger: before(OPENING_MS),
    dayLedger: entries.filter(({ writtenMs }) => OPENING_MS <= writtenMs && writtenMs < DAY_END_MS),
    closingLedger: before(CLOSING_MS),
    dayTampering: [],
    more: [],
    keys: keyItems(life),
  };
}
