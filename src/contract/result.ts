import type { ErrorCode } from "./errors.ts";

/** How a platform's reply differs from what we expect. */
export interface Drift {
  /** Path of the field that is missing or has another type. */
  readonly field: string;
  /** The beginning of the reply, bounded and scrubbed. */
  readonly excerpt: string;
}

/** A limit, other than that of requests a minute, which has left no room for a request. */
export interface SpentQuota {
  /** The name of its policy. */
  readonly policy: string;
  readonly quota: number;
  /** What it counts: a quota unit of draft-ietf-httpapi-ratelimit-headers-11. */
  readonly unit: "concurrent-requests";
}

interface Details {
  /** What the client is told. Without it, the client gets the catalogue's sentence for the code. */
  readonly message?: string;
  /** Whole seconds, at least 1: when a retry may succeed, if anybody said so. */
  readonly retryAfterSeconds?: number;
  /** Of a 402: the account's available credits. */
  readonly available?: number;
  /** The limit that a 429 comes from, unless that is the one of requests a minute. */
  readonly spent?: SpentQuota;
}

/** Every code except the one that must say what has changed. */
type PlainCode = Exclude<ErrorCode, "UPSTREAM_INVALID_RESPONSE">;

/**
 * Why a step of the request's path did not succeed. An invalid response always says which field has
 * changed: it comes from a source's `drifted`.
 */
export type Failure = Details & {
  /** What happened, for the operator's log only. Contains no key, no token and no media URL. */
  readonly cause: string;
} & (
    | { readonly code: PlainCode }
    | { readonly code: "UPSTREAM_INVALID_RESPONSE"; readonly drift: Drift }
  );

/** An expected outcome is a value; a throw is a bug. */
export type Result<T, F = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F };

export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function failed(
  code: PlainCode,
  cause: string,
  details: Details = {},
): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { code, cause, ...details } };
}
