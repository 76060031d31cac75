/** Every number of the reservation protocol that somebody chose, and why. */

/** One key at its rate limit can have this many holds open over the resolve window. */
export const OPEN_HOLDS_MAX = 250;

/**
 * How long a hold outlives the resolve window: 30 s in which a settlement may wait for the store,
 * 30 s for clocks that differ.
 */
export const HOLD_GRACE_MS = 60_000;

/** Attempts of a reserve, each with its own nonce. */
export const RESERVE_ATTEMPTS = 3;

/** Attempts of a release; what they do not reach the sweep does. */
export const RELEASE_ATTEMPTS = 5;

/** Pause before attempt n + 1 of a write: doubled each time from the first to the last. */
export const BACKOFF_FIRST_MS = 25;
export const BACKOFF_LAST_MS = 2_000;

/** A store call that has not answered by then is given up and its outcome taken for unknown. */
export const STORE_TIMEOUT_MS = 2_000;

/** Accounts that one run of the sweep looks at, and how many store calls it has under way at most. */
export const SWEEP_ACCOUNTS_MAX = 200;
export const SWEEP_CONCURRENCY = 6;
