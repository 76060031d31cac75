/** When the generated exports are taken, and what lies between them. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The month that is closed. */
export const MONTH = "2026-10";
/** When the first requests and accounts begin. */
export const BEGIN_MS = Date.UTC(2026, 8, 1);
/** Full export, at the beginning of the month. */
export const OPENING_MS = Date.UTC(2026, 9, 1);
/** End of the incremental export, which begins with the opening. */
export const DAY_END_MS = OPENING_MS + DAY_MS;
/** Full export, ten minutes after the month. No request of the month is open then. */
export const CLOSING_MS = Date.UTC(2026, 10, 1) + HOUR_MS / 6;

/** The resolve window and the grace after it. */
export const HOLD_LIFE_MS = 180_000;
/** The time of a write that no export shows yet. */
export const NEVER_MS = Date.UTC(2100, 0);
