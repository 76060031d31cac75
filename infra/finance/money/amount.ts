/** Money is counted in whole minor units, such as cents, so no amount is ever rounded by chance. */

/** An amount beyond this is taken for a mistake in the file. It leaves room to sum up millions of them. */
const DIGITS_MAX = 12;

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

/** How many decimal places the currency has: 2 for EUR, 0 for JPY. Null for no currency of ISO 4217. */
export function placesOf(currency: string): number | null {
  if (!CURRENCIES.has(currency)) return null;
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? null;
}

/** Reads `45`, `45.5` or `45.50` into minor units. Null for any other text, and for too many places. */
export function minorOf(text: string, places: number): bigint | null {
  const [, whole, fraction = ""] = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole === undefined || whole.length > DIGITS_MAX || fraction.length > places) return null;
  return BigInt(whole + fraction.padEnd(places, "0"));
}

/** Minor units as decimal text: `-1234.50`. */
export function decimalOf(minor: bigint, places: number): string {
  const digits = String(minor < 0n ? -minor : minor).padStart(places + 1, "0");
  const cut = digits.length - places;
  const text = places === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
  return minor < 0n ? `-${text}` : text;
}

/** Decimal text for people: `-1,234.50`. */
export function grouped(decimal: string): string {
  const [whole = "", fraction] = decimal.split(".");
  const text = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? text : `${text}.${fraction}`;
}

/** The nearest whole number; half goes up. Neither may be negative. */
export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
