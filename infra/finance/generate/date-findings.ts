import { counterOf } from "../../../src/credits/items.ts";
import type { Item } from "../../../src/store/dynamodb.ts";
import type { Finding } from "../prove/findings.ts";
import { CLOSING_MS, OPENING_MS } from "./calendar.ts";
import type { Exhibits } from "./exhibits.ts";
import { onAccount, type Site } from "./fault.ts";

/** Findings that several kinds of faults have in common. */

export const OPENED = textOf(OPENING_MS);
export const CLOSED = textOf(CLOSING_MS);

function textOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

export function openingFinding(site: Site, shown: number, dated: number): Finding {
  return onAccount(
    site,
    "opening_balance",
    `the export of ${OPENED} shows ${shown} credits`,
    `by their dates the records give ${dated} credits`,
  );
}

/** A finding on a record of the ledger. */
export function onRecord(item: Item, check: string, expected: string, found: string): Finding {
  const account = item["account"]?.S ?? "";
  return { check, account, request: item["record_id"]?.S ?? "", expected, found };
}

/** What the checks of all records call a record. */
export function amountOf(item: Item): string {
  const kind = item["kind"]?.S ?? "";
  if (kind === "usage") return `a charge of ${item["charge"]?.N}`;
  return `${kind === "adjustment" ? "an" : "a"} ${kind} of ${item["credits"]?.N} credits`;
}

export function dateOf(item: Item): string {
  return item["settled_at"]?.S ?? item["created_at"]?.S ?? "";
}

/** Dated before the opening export, which does not have it. */
export function backdated(item: Item): Finding {
  const found = `${amountOf(item)} dated ${dateOf(item)}`;
  return onRecord(item, "record_backdated", `in the export of ${OPENED}`, found);
}

/** Settled at an impossible distance from the beginning of its request. */
export function outOfOrder(item: Item, expected: string, seconds: number): Finding {
  const found = `${amountOf(item)} settled ${seconds} s after it`;
  return onRecord(item, "time_order", expected, found);
}

export const IN_TIME = "a settlement 0 to 300 s after the beginning";

export function ofTheFuture(item: Item): Finding {
  const found = `${amountOf(item)} dated ${dateOf(item)}`;
  return onRecord(item, "time_future", `a date up to the export of ${CLOSED}`, found);
}

/** A top-up whose reference nobody claimed. */
export function unclaimed({ life }: Site, item: Item): Finding {
  const found = `${amountOf(item)} without one`;
  const expected = `a claim of ${item["reference"]?.S}`;
  return { ...onRecord(item, "claim_missing", expected, found), account: life.account };
}

/** The record of a service that the account, by its counters, never used. None if it did. */
export function unusedService({ closing, closingLedger }: Exhibits, id: string): Finding[] {
  const item = closingLedger.find((one) => one["record_id"]?.S === id) ?? {};
  const service = item["service"]?.S ?? "";
  if (closing?.[counterOf(service)] !== undefined) return [];
  const found = `${amountOf(item)} for ${service}, which it never used`;
  return [onRecord(item, "service_unused", "a service that the account has used", found)];
}

/** The record with that id in the closing export. */
export function recordIn({ closingLedger }: Exhibits, id: string): Item {
  return closingLedger.find((one) => one["record_id"]?.S === id) ?? {};
}
