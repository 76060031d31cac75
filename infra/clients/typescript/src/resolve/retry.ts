/** How one attempt failed. */
export interface Failing {
  /** Null when no whole answer came. */
  readonly status: number | null;
  readonly message: string;
  readonly retryAfterSeconds: number | null;
  /** When the limit of requests a minute has room again, if the service said so. */
  readonly resetSeconds: number | null;
}

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 20_000;

/** A limit of the day: it is no use to wait for it. */
const SPENT_TODAY = /^Too many (?:repetitions|attempts) with this Idempotency-Key today\b/;

/** Capped exponential backoff with full jitter. */
export function backoffMs(failures: number, random: number): number {
  return random * Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1));
}

/**
 * How long to wait before the next attempt, by the contract's rules. Null: the failure is final.
 * @param failures How many attempts have failed, this one included.
 * @param random From 0 up to 1.
 */
export function retryWaitMs(failing: Failing, failures: number, random: number): number | null {
  const waitMs = backoffMs(failures, random);
  const { status, message, retryAfterSeconds, resetSeconds } = failing;
  switch (status) {
    case null:
      return waitMs;
    case 429:
      // The jitter spreads clients that wait for the same reset.
      return SPENT_TODAY.test(message)
        ? null
        : 1_000 * (retryAfterSeconds ?? resetSeconds ?? 0) + waitMs;
    case 502:
    case 504:
      return Math.max(waitMs, 1_000 * (retryAfterSeconds ?? 0));
    default:
      return null;
  }
}
