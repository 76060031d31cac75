import { LIMIT_REQUESTS, LIMIT_WINDOW_SECONDS } from "../limiter/limiter.ts";

/** Every number of the reservation protocol that we chose, and why. */

/**
 * Open holds of an account. One key at its rate limit can have this many within one resolve window.
 * Each makes the item larger, and with it every write.
 */
export const OPEN_HOLDS_MAX = 250;

/**
 * Open holds of an account for one service. Not fewer, because a key may send its whole minute's
 * requests at once. Not many more, because services that hang must leave room for the others.
 */
export const SERVICE_OPEN_HOLDS_MAX = 120;

/** So many services may hang, and the others still have room. */
const HANGING_SERVICES = 2;

/** What a service that does not hang takes at most: a hedge after 3 seconds, and its answer. */
const HEALTHY_ANSWER_SECONDS = 5;

/** Whoever has too many requests open is asked to wait no longer: each answer makes room. */
export const OPEN_HOLDS_RETRY_MAX_SECONDS = 30;

/** How long a settlement may wait for the store. */
export const SETTLE_GRACE_MS = 30_000;

/** How far the clocks of two isolates may differ. */
export const CLOCK_SKEW_MS = 30_000;

/** How long a hold outlives the resolve window. */
export const HOLD_GRACE_MS = SETTLE_GRACE_MS + CLOCK_SKEW_MS;

/** Attempts of a reserve that the store may leave without an answer, each with its own nonce. */
export const RESERVE_ATTEMPTS = 3;

/** How long a reserve is tried again while the account changes under it. */
export const RESERVE_PATIENCE_MS = 6_000;

/** Attempts of a request's release; what they do not reach the sweep does. */
export const RELEASE_ATTEMPTS = 5;

/** Attempts of a release by the sweep: its next run is the next attempt. */
export const HEAL_RELEASE_ATTEMPTS = 1;

/** Pause before attempt n + 1 of a write: doubled each time from the first to the last. */
export const BACKOFF_FIRST_MS = 25;
export const BACKOFF_LAST_MS = 2_000;

/** A store call without an answer after this time has an unknown outcome. */
export const STORE_TIMEOUT_MS = 2_000;

/** How often the sweep runs; the cron trigger in `wrangler.toml`. */
export const SWEEP_PERIOD_MS = 60_000;

/** If a hold outlives its expiry by three sweeps, the sweep does not work. */
export const SWEEP_OVERDUE_MS = 3 * SWEEP_PERIOD_MS;

/**
 * What one run of the sweep takes on: pages of the index, accounts to read, holds to end, and store
 * calls under way at once (a worker may have six).
 */
export const SWEEP_PAGES_MAX = 20;
export const SWEEP_ACCOUNTS_MAX = 200;
export const SWEEP_HOLDS_MAX = 290;
export const SWEEP_CONCURRENCY = 6;

/** A worker may make this many calls a run. */
export const CALLS_A_RUN_MAX = 1_000;

/**
 * The calls of one run at most: each page; each account is read, and an idle one taken out of the
 * index; each hold takes a record and a release. A lost call is not repeated: the next run does that.
 */
export const SWEEP_CALLS_MAX =
  SWEEP_PAGES_MAX + 2 * SWEEP_ACCOUNTS_MAX + (1 + HEAL_RELEASE_ATTEMPTS) * SWEEP_HOLDS_MAX;

/** Adopts an earlier attempt's hold only if it lives at least this much longer than the window. */
export const ADOPTION_GRACE_MS = 50_000;

/** Holds that one key at its rate limit has open for services that do not hang. */
const HEALTHY_HOLDS = (LIMIT_REQUESTS / LIMIT_WINDOW_SECONDS) * HEALTHY_ANSWER_SECONDS;

/** What must hold for the numbers above, by the one to look at first. */
const RELATIONS: readonly (readonly [holds: boolean, name: string])[] = [
  // A run of the sweep stays within the calls that a worker may make.
  [SWEEP_CALLS_MAX <= CALLS_A_RUN_MAX, "SWEEP_HOLDS_MAX"],
  // An adopted hold does not expire before it is settled.
  [ADOPTION_GRACE_MS >= SETTLE_GRACE_MS, "ADOPTION_GRACE_MS"],
  // A reserve adopts its own first attempt after two time-outs.
  [RESERVE_ATTEMPTS * STORE_TIMEOUT_MS <= HOLD_GRACE_MS - ADOPTION_GRACE_MS, "RESERVE_ATTEMPTS"],
  [
    RESERVE_PATIENCE_MS + STORE_TIMEOUT_MS <= HOLD_GRACE_MS - ADOPTION_GRACE_MS,
    "RESERVE_PATIENCE_MS",
  ],
  [BACKOFF_FIRST_MS <= BACKOFF_LAST_MS, "BACKOFF_FIRST_MS"],
  // The rate limit, not this cap, is what a key without a hanging service meets.
  [SERVICE_OPEN_HOLDS_MAX >= LIMIT_REQUESTS, "SERVICE_OPEN_HOLDS_MAX"],
  // Services that hang leave a key at its rate limit room for the others.
  [
    OPEN_HOLDS_MAX - HANGING_SERVICES * SERVICE_OPEN_HOLDS_MAX >= HEALTHY_HOLDS,
    "SERVICE_OPEN_HOLDS_MAX",
  ],
  // A settlement has three attempts.
  [SETTLE_GRACE_MS >= 3 * (STORE_TIMEOUT_MS + BACKOFF_LAST_MS), "SETTLE_GRACE_MS"],
  // Two sweeps can end a hold before it is overdue.
  [SWEEP_OVERDUE_MS > 2 * SWEEP_PERIOD_MS, "SWEEP_OVERDUE_MS"],
];

for (const [holds, name] of RELATIONS) if (!holds) throw new Error(name);
