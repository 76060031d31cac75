import { decimalOf } from "./amount.ts";

/** Adds up decimal text of one currency, exactly. `0` for nothing. */
export function addDecimals(amounts: readonly string[]): string {
  const places = Math.max(0, ...amounts.map((text) => text.split(".")[1]?.length ?? 0));
  const minor = amounts.reduce((sum, text) => sum + BigInt(text.replace(".", "")), 0n);
  return decimalOf(minor, places);
}
