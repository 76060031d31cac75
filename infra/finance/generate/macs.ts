import { createHash, createHmac } from "node:crypto";
import { canonicalText, type MacKey, macOf } from "../../../src/credits/record-mac.ts";
import type { Item } from "../../../src/store/dynamodb.ts";
import type { Finding } from "../prove/findings.ts";
import { amountOf, dateOf, onRecord } from "./date-findings.ts";

/** The key of a generated month's MACs. */
export function macKeyOf(seed: number): MacKey {
  return { id: "k1", hex: createHash("sha256").update(`month ${seed}`).digest("hex") };
}

/** What the service writes where it has that key. */
export function withMac(key: MacKey | null, record: Item): Item {
  return key === null ? record : { ...record, mac: { S: rightMac(key, record) } };
}

function rightMac(key: MacKey, record: Item): string {
  const hmac = createHmac("sha256", Buffer.from(key.hex, "hex"));
  return macOf(key, hmac.update(canonicalText(record)).digest("hex"));
}

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
