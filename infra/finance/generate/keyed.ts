import type { Idempotency } from "../../../src/credits/items.ts";
import { attemptId, attemptPrefix, DAY_MS, dayOf } from "../../../src/idempotency/attempt-id.ts";
import { CLOSING_MS, HOLD_LIFE_MS } from "./calendar.ts";
import type { Request } from "./life.ts";
import type { Random } from "./random.ts";

/** The share of requests that have an Idempotency-Key. */
const KEYED = 0.25;
/** The share of these that are paid again, at the first moment at which that is allowed. */
const AGAIN = 0.1;
/** From one attempt to the next, which is longer than one takes. */
const PAUSE_MS = 7_000;

/**
 * Puts some requests under an Idempotency-Key: behind attempts that failed, and sometimes paid once
 * more when 24 hours have passed.
 * @param most how many requests there may be, with the given one
 */
export function inventAttempts(random: Random, request: Request, most: number): Request[] {
  if (!random.chance(KEYED)) return [request];
  const failures = Math.min(most - 1, random.pick([0, 0, 0, 1, 2]));
  const attempts = Array.from({ length: failures }, (_, at) =>
    failedAttempt(random, request, request.heldMs - (failures - at) * PAUSE_MS),
  );
  attempts.push(request);
  const againMs = request.recordedMs + DAY_MS;
  const isPaidAgain = request.outcome === "OK" && attempts.length < most && againMs < CLOSING_MS;
  if (isPaidAgain && random.chance(AGAIN)) attempts.push(paidAgain(random, request, againMs));
  return underKey(attempts, { keyHash: random.hex(32), requestHash: random.hex(32) });
}

/** Gives attempts, in order of time, a key and the ids that the service gives them. */
export function underKey(attempts: readonly Request[], idempotency: Idempotency): Request[] {
  const ofDay = new Map<number, number>();
  return attempts.map((one) => {
    const dayMs = dayOf(one.heldMs);
    const attempt = ofDay.get(dayMs) ?? 0;
    ofDay.set(dayMs, attempt + 1);
    return {
      ...one,
      idempotency,
      id: attemptId(attemptPrefix(dayMs, idempotency.keyHash), attempt),
    };
  });
}

/** Hashes for a fault's key, which no other request has. */
export function hashesOf({ id }: Request): Idempotency {
  const digits = id.replaceAll("-", "");
  // An id begins with its time, which planted requests share; a request's id takes a hash's beginning.
  const hash = digits.slice(16) + digits.slice(0, 16);
  return { keyHash: hash, requestHash: hash };
}

function failedAttempt(random: Random, request: Request, heldMs: number): Request {
  const failure = { outcome: "UPSTREAM_ERROR", itemCount: 0, charge: 0, abandoned: false };
  const times = { recordedMs: heldMs + 1_000, releasedMs: heldMs + 1_100 };
  return { ...again(random, request, heldMs), ...failure, ...times };
}

function paidAgain(random: Random, request: Request, heldMs: number): Request {
  const recordedMs = heldMs + random.between(300, 6_000);
  return { ...again(random, request, heldMs), recordedMs, releasedMs: recordedMs + 100 };
}

function again(random: Random, request: Request, heldMs: number): Request {
  return { ...request, nonce: random.hex(8), heldMs, expiresMs: heldMs + HOLD_LIFE_MS };
}
