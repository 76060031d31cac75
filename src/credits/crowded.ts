import { type Failure, failed } from "../contract/result.ts";
import type { Service } from "../contract/schemas.ts";
import type { OpenHold } from "./items.ts";
import {
  HOLD_GRACE_MS,
  OPEN_HOLDS_MAX,
  OPEN_HOLDS_RETRY_MAX_SECONDS,
  SERVICE_OPEN_HOLDS_MAX,
} from "./limits.ts";

/**
 * The 429 of a request that would be one too many at once, of its account or of its service. Null if
 * there is room.
 * @param living the account's holds without those that the sweep may end
 */
export function crowded(
  service: Service,
  living: readonly OpenHold[],
  nowMs: number,
): Failure | null {
  if (living.length >= OPEN_HOLDS_MAX) {
    return tooManyOpen({ max: OPEN_HOLDS_MAX, ofWhat: "in all", holds: living, nowMs });
  }
  const own = living.filter((hold) => hold.service === service);
  if (own.length < SERVICE_OPEN_HOLDS_MAX) return null;
  return tooManyOpen({ max: SERVICE_OPEN_HOLDS_MAX, ofWhat: `for ${service}`, holds: own, nowMs });
}

interface Crowd {
  readonly max: number;
  readonly ofWhat: string;
  readonly holds: readonly OpenHold[];
  readonly nowMs: number;
}

function tooManyOpen({ max, ofWhat, holds, nowMs }: Crowd): Failure {
  const message =
    `Too many open requests: an account may have ${max} of them ${ofWhat}. A request is open until ` +
    "it is answered. Retry when some of them have been.";
  return failed("RATE_LIMITED", `too many open holds: ${holds.length} ${ofWhat}`, {
    message,
    retryAfterSeconds: secondsToFirstEnd(holds, nowMs),
    spent: { policy: "holds", quota: max, unit: "concurrent-requests" },
  }).failure;
}

/** Until the window of the oldest request is over. Some are answered sooner, so the wait is bounded. */
function secondsToFirstEnd(holds: readonly OpenHold[], nowMs: number): number {
  const firstExpiryMs = Math.min(...holds.map(({ expiresMs }) => expiresMs));
  const seconds = Math.ceil((firstExpiryMs - HOLD_GRACE_MS - nowMs) / 1000);
  return Math.min(Math.max(1, seconds), OPEN_HOLDS_RETRY_MAX_SECONDS);
}
