import type { Drift, Result } from "../contract/result.ts";
import { outside } from "../log/scrub.ts";

/**
 * Why a source gave no media. The kind says what the failure is about: what one post says is never
 * held against the source. `cause` is for the operator's log; since it may quote what came from outside,
 * the functions below, which alone make failures, scrub and bound it.
 */
export type SourceFailure =
  /**
   * About the post: removed, private, or without media. Only the first kind is certain and ends the
   * search.
   */
  | { readonly kind: "notFound" | "maybeNotFound"; readonly cause: string }
  /** About the post: its owner or its platform does not allow it here. */
  | { readonly kind: "refused"; readonly cause: string }
  /** About the post: the reply does not have the source's known form. */
  | { readonly kind: "drifted"; readonly cause: string; readonly drift: Drift }
  /** About the source, whichever post is requested. */
  | SourceTrouble
  /** About neither: the source cannot serve posts of this kind. */
  | { readonly kind: "notApplicable"; readonly cause: string }
  /** About neither, as far as we know: the client has gone away, a bug, an unexplained error. */
  | { readonly kind: "inconclusive"; readonly cause: string };

interface SourceTrouble {
  readonly kind: "sourceRefused" | "sourceFailed" | "sourceTimedOut";
  readonly cause: string;
  /** Whole seconds, at least 1, if the source names them. */
  readonly retryAfterSeconds?: number;
}

/** A source's answer: what it found, or why there is nothing. */
export type Answer<T> = Result<T, SourceFailure>;

/** A failure as an {@link Answer} of any type. */
export interface Refusal {
  readonly ok: false;
  readonly failure: SourceFailure;
}

/** The post is not there, has no media, or is not public. */
export function notFound(cause: string): Refusal {
  return { ok: false, failure: { kind: "notFound", cause: outside(cause) } };
}

/**
 * The source thinks the post is gone but may be wrong. Any other source's answer outweighs this
 * one.
 */
export function maybeNotFound(cause: string): Refusal {
  return { ok: false, failure: { kind: "maybeNotFound", cause: outside(cause) } };
}

/** Only this post is withheld, for example a video that is not to be embedded. */
export function refused(cause: string): Refusal {
  return { ok: false, failure: { kind: "refused", cause: outside(cause) } };
}

/** The source cannot serve posts of this kind. It counts as not asked. */
export function notApplicable(cause: string): Refusal {
  return { ok: false, failure: { kind: "notApplicable", cause: outside(cause) } };
}

/** An error that says nothing certain about the post, and nothing about the source. */
export function inconclusive(cause: string): Refusal {
  return { ok: false, failure: { kind: "inconclusive", cause: outside(cause) } };
}

/** The source refuses requests: status 401, 403 or 429, a log-in, a challenge, no credit. */
export function sourceRefused(cause: string, wait: Wait = {}): Refusal {
  return { ok: false, failure: { kind: "sourceRefused", cause: outside(cause), ...wait } };
}

/** The source is down: status 5xx, or no connection. */
export function sourceFailed(cause: string, wait: Wait = {}): Refusal {
  return { ok: false, failure: { kind: "sourceFailed", cause: outside(cause), ...wait } };
}

/** The source did not answer in time. */
export function sourceTimedOut(cause: string, wait: Wait = {}): Refusal {
  return { ok: false, failure: { kind: "sourceTimedOut", cause: outside(cause), ...wait } };
}

type Wait = Pick<SourceTrouble, "retryAfterSeconds">;
