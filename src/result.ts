import type { ErrorCode } from "./errors.ts";

/** Why a step of the request's path did not succeed. `cause` is for the log and never leaves it. */
export interface Failure {
  readonly code: ErrorCode;
  /** What happened, for the operator: no key, no token, no media URL. */
  readonly cause: string;
  /** What the client is told, where it helps; otherwise the catalogue's sentence for the code. */
  readonly message?: string;
  /** Whole seconds, at least 1: after how long a repetition may succeed, where somebody knows. */
  readonly retryAfterSeconds?: number;
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
  details: Pick<Failure, "message" | "retryAfterSeconds"> = {},
): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { code, cause, ...details } };
}
