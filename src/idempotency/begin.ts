import { failed, type Result, success } from "../contract/result.ts";
import type { ResolveRequest } from "../contract/schemas.ts";
import type { Idempotency, Recorded } from "../credits/items.ts";
import type { Ledger } from "../credits/ledger.ts";
import { DAY_MS, dayOf } from "./attempt-id.ts";
import { type Attempts, decide, findAttempts, type Next } from "./attempts.ts";
import { readIdempotency } from "./idempotency-key.ts";

/** An attempt that may reserve, under the request id that its record will have. */
export interface Begun extends Next {
  /** Null for a request without `Idempotency-Key`. */
  readonly idempotency: Idempotency | null;
  /** What was known when the id was chosen. */
  readonly attempts: Attempts;
}

/** The record of an earlier attempt that was paid. */
export interface Repetition {
  readonly begun: null;
  readonly paid: Recorded;
  readonly idempotency: Idempotency;
}

export type Beginning = { readonly begun: Begun; readonly paid: null } | Repetition;

const NONE: Attempts = new Map();

/** A request without `Idempotency-Key` is an attempt of its own. */
export function beginAlone(requestId: string): Beginning {
  return {
    begun: { requestId, rivals: [], edgeDays: [], idempotency: null, attempts: NONE },
    paid: null,
  };
}

/**
 * Looks for earlier attempts of the same account under the same key. Fails for a key that is malformed
 * or was used for another request (`URL_INVALID`), after too many attempts (`RATE_LIMITED`), and when
 * the store does not answer (`UPSTREAM_ERROR`).
 */
export async function begin(
  ledger: Ledger,
  { key, account }: { readonly key: string; readonly account: string },
  request: ResolveRequest,
): Promise<Result<Beginning>> {
  const read = await readIdempotency(key, account, request);
  if (!read.ok) return read;
  const idempotency = read.value;
  const { keyHash, requestHash } = idempotency;
  const scope = { account, keyHash };
  const attempts = await findAttempts(ledger, scope);
  if (attempts === null) return failed("UPSTREAM_ERROR", "earlier attempts: no answer");
  const nowMs = ledger.now();
  const decision = decide(attempts, { scope, requestHash, nowMs });
  switch (decision.kind) {
    case "paid":
      return success({ begun: null, paid: decision.record, idempotency });
    case "next":
      return success({ begun: { ...decision.next, idempotency, attempts }, paid: null });
    case "differs":
      return usedOtherwise();
    case "spent":
      return failed("RATE_LIMITED", "too many attempts under one key", {
        message: "Too many attempts with this Idempotency-Key today. Use another one.",
        retryAfterSeconds: Math.ceil((dayOf(nowMs) + DAY_MS - nowMs) / 1000),
      });
  }
}

/** The key was used for a request with other fields. */
export function usedOtherwise() {
  const message = "Idempotency-Key: was used with another request in the last 24 hours";
  return failed("URL_INVALID", message, { message });
}

/**
 * Whether nobody has ended an attempt of another day since the id was chosen. Asked after the reserve,
 * and only near the edge of a day, where two requests may have chosen different days and so different
 * ids: each of them sees either the other's hold, or here its record.
 */
export async function isAlone(ledger: Ledger, account: string, begun: Begun): Promise<boolean> {
  const { idempotency, attempts, edgeDays } = begun;
  if (idempotency === null || edgeDays.length === 0) return true;
  const scope = { account, keyHash: idempotency.keyHash };
  const now = await findAttempts(ledger, scope, edgeDays).catch(() => null);
  if (now === null) return false;
  return edgeDays.every((day) => now.get(day)?.requestId === attempts.get(day)?.requestId);
}
