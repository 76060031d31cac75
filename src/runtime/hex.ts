const DIGITS = new TextEncoder().encode("0123456789abcdef");

/** Lower-case hexadecimal, two digits per byte. */
export function toHex(buffer: ArrayBuffer): string {
  const codes: number[] = [];
  for (const byte of new Uint8Array(buffer)) {
    codes.push(DIGITS[byte >> 4] ?? 0, DIGITS[byte & 15] ?? 0);
  }
  return String.fromCharCode(...codes);
}
