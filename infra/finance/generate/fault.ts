import type { Item } from "../../../src/store/dynamodb.ts";
import type { Finding } from "../prove/findings.ts";
import { CLOSING_MS, DAY_END_MS, OPENING_MS } from "./calendar.ts";
import type { Exhibits } from "./exhibits.ts";
import type { Life, Request } from "./life.ts";

/** Where a fault is planted: an account's life, with one request made for the fault. */
export interface Site {
  readonly life: Life;
  readonly request: Request;
}

/** A kind of fault. */
export interface Fault {
  /** What accountants call it. */
  readonly name: string;
  /** When the fault's request was made. */
  readonly plantedMs: number;
  /** Changes what happened. All exports show it. */
  readonly alter?: (site: Site) => void;
  /** Whether the exports show the partner too. */
  readonly withPartner?: true;
  /** Changes what the exports show. */
  readonly spoil?: (exhibits: Exhibits, site: Site, partner: Partner) => void;
  /** What reconciling all the exports of accounts and ledger finds. */
  readonly findings: (exhibits: Exhibits, site: Site, partner: Partner) => readonly Finding[];
  /** What the export of the API keys adds to that. */
  readonly keyFindings?: (exhibits: Exhibits, site: Site, partner: Partner) => readonly Finding[];
}

/** A second account of the fault's own, with a request of the same kind at the same time. */
export interface Partner {
  readonly site: Site;
  readonly exhibits: Exhibits;
}

const MINUTE_MS = 60_000;
/** A time in the month, after the day of the incremental export. */
export const MID_MONTH_MS = DAY_END_MS + 10 * 24 * 60 * MINUTE_MS;
export const ON_THE_DAY_MS = OPENING_MS + 6 * 60 * MINUTE_MS;
export const BEFORE_OPENING_MS = OPENING_MS - 6 * 60 * MINUTE_MS;
export const JUST_BEFORE_CLOSING_MS = CLOSING_MS - MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** One finding on the fault's request. */
export function onRequest(check: string, expected: string, found: string) {
  return (_: Exhibits, { life, request }: Site): Finding[] => [
    { check, account: life.account, request: request.id, expected, found },
  ];
}

/** One finding on the fault's account. */
export function onAccount({ life }: Site, check: string, expected: string, found: string): Finding {
  return { check, account: life.account, request: null, expected, found };
}

/** Changes the record with that id in a ledger. */
export function changeRecord(ledger: Item[], id: string, change: (item: Item) => Item): Item[] {
  return ledger.map((item) => (item["record_id"]?.S === id ? change(item) : item));
}

/** Adds to balances of an account's image. */
export function add(item: Item | null, changes: Readonly<Record<string, number>>): void {
  if (item === null) return;
  for (const [name, credits] of Object.entries(changes)) {
    item[name] = { N: String(Number(item[name]?.N) + credits) };
  }
}

export function number(item: Item | null, name: string): number {
  return Number(item?.[name]?.N ?? 0);
}
