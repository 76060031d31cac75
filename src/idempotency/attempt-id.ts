/** Attempts that one Idempotency-Key may have on one day; failures are run again. */
export const ATTEMPTS_MAX = 0xfff;

export const DAY_MS = 86_400_000;

const ATTEMPT_DIGITS = 3;

/** The start of a UTC day, in milliseconds since 1970. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}

/**
 * What the ids of all attempts under one Idempotency-Key on one day begin with: a UUIDv7 (RFC 9562,
 * section 5.7) of the start of the day, with 62 bits of the key's hash as its random part.
 * @param hash of account and key, in hex, at least 16 digits
 */
export function attemptPrefix(dayMs: number, hash: string): string {
  const time = dayMs.toString(16).padStart(12, "0");
  const variant = ((Number.parseInt(hash.slice(3, 4), 16) & 3) | 8).toString(16);
  const [a, b, c] = [hash.slice(0, 3), hash.slice(4, 7), hash.slice(7, 16)];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${a}-${variant}${b}-${c}`;
}

/** The request id of an attempt, counted from 0. The ids of a day's attempts sort in their order. */
export function attemptId(prefix: string, attempt: number): string {
  return prefix + attempt.toString(16).padStart(ATTEMPT_DIGITS, "0");
}

/** Which attempt an id is of. */
export function attemptOf(requestId: string): number {
  return Number.parseInt(requestId.slice(-ATTEMPT_DIGITS), 16);
}
