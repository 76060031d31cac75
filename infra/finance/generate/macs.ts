import { createHash, createHmac } from "node:crypto";
import { canonicalText, type MacKey, macOf } from "../../../src/credits/record-mac.ts";
import type { Item } from "../../../src/store/dynamodb.ts";

/** The key of a generated month's MACs. */
export function macKeyOf(seed: number): MacKey {
  return { id: "k1", hex: createHash("sha256").update(`month ${seed}`).digest("hex") };
}

/** What the service writes where it has that key. */
export function withMac(key: MacKey | null, record: Item): Item {
  return key === null ? record : { ...record, mac: { S: rightMac(key, record) } };
}

export function rightMac(key: MacKey, record: Item): string {
  const hmac = createHmac("sha256", Buffer.from(key.hex, "hex"));
  return macOf(key, hmac.update(canonicalText(record)).digest("hex"));
}
