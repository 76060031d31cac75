/** When a UUIDv7 was made: its first 48 bits are milliseconds since 1970 (RFC 9562, section 5.7). */
export function uuidTimeMs(uuid: string): number {
  return Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16);
}
