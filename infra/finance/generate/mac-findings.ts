import type { MacKey } from "../../../src/credits/record-mac.ts";
import type { Item } from "../../../src/store/dynamodb.ts";
import type { Finding } from "../prove/findings.ts";
import { amountOf, dateOf, onRecord } from "./date-findings.ts";
import { rightMac } from "./macs.ts";

/** What verifying the MACs of records finds. */
export function macFindings(key: MacKey | null, records: readonly Item[]): Finding[] {
  if (key === null) return [];
  return records.flatMap((record) => {
    const mac = record["mac"]?.S;
    const amount = amountOf(record);
    if (mac === rightMac(key, record)) return [];
    if (mac !== undefined) {
      const found = `${amount} with another MAC`;
      return [onRecord(record, "mac_wrong", "the MAC of what it says", found)];
    }
    return [
      onRecord(record, "mac_missing", "a MAC", `${amount} dated ${dateOf(record)} without one`),
    ];
  });
}
