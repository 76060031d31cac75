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

/** How often the sweep runs; the cron trigger in `wrangler.toml`. */
export const SWEEP_PERIOD_MS = 60_000;

/** A hold that outlived its expiry by three sweeps says that the sweep does not do its work. */
export const SWEEP_OVERDUE_MS = 3 * SWEEP_PERIOD_MS;

/**
 * What one run of the sweep takes on: pages of the index, accounts to read, holds to end, and store
 * calls under way at once. A worker may make 1,000 requests a run, and six at a time.
 */
export const SWEEP_PAGES_MAX = 20;
export const SWEEP_ACCOUNTS_MAX = 200;
export const SWEEP_HOLDS_MAX = 300;
export const SWEEP_CONCURRENCY = 6;

/** An earlier attempt's hold is adopted only while this much of its life is left after the window. */
export const ADOPTION_GRACE_MS = 50_000;
