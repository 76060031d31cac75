import type { ErrorCode } from "./errors.ts";

/** How a platform's reply differs from what is known of it. */
export interface Drift {
  /** Path of the field that is missing or of another kind. */
  readonly field: string;
  /** The beginning of what came, bounded and scrubbed. */
  readonly excerpt: string;
}

/** Why a step of the request's path did not succeed. `cause` is for the log and never leaves it. */
export interface Failure {
  readonly code: ErrorCode;
  /** What happened, for the operator: no key, no token, no media URL. */
  readonly cause: string;
  /** What the client is told, where it helps; otherwise the catalogue's sentence for the code. */
  readonly message?: string;
  /** Whole seconds, at least 1: after how long a repetition may succeed, where somebody knows. */
  readonly retryAfterSeconds?: number;
  /**
   * A source's "not there" that it cannot be sure of: it does not end the search, and what any other
   * source says outweighs it.
   */
  readonly tentative?: boolean;
  /** For an invalid response: what was expected where, and what came. */
  readonly drift?: Drift;
}

/** An expected outcome is a value; a throw is a bug. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export function success<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failed(
  code: ErrorCode,
  cause: string,
  details: Omit<Failure, "code" | "cause"> = {},
): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { code, cause, ...details } };
}
