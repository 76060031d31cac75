import type { Drift, Result } from "../contract/result.ts";
import { outside } from "../log/scrub.ts";

/**
 * Why a source gave no media. The kind says what the failure is about: what one post says is never
 * held against the source. `cause` is for the operator's log; since it may quote what came from outside,
 * the functions below, which alone make failures, scrub and bound it.
 */
export type SourceFailure =
  /** About the post: removed, private, without media. Only the first is sure, and ends the search. */
  | { readonly kind: "notFound" | "maybeNotFound"; readonly cause: string }
  /** About the post: its owner or its platform keeps it from being shown here. */
  | { readonly kind: "refused"; readonly cause: string }
  /** About the post: a reply of another shape than the source is known to give. */
  | { readonly kind: "drifted"; readonly cause: string; readonly drift: Drift }
  /** About the source, whichever post it is asked for. */
  | SourceTrouble
  /** About neither: the source cannot serve posts of this kind. */
  | { readonly kind: "notApplicable"; readonly cause: string }
  /** About neither, as far as anybody can tell: the client has left, a bug, an unexplained error. */
  | { readonly kind: "inconclusive"; readonly cause: string };

interface SourceTrouble {
  readonly kind: "sourceRefused" | "sourceFailed" | "sourceTimedOut";
  readonly cause: string;
  /** Whole seconds, at least 1, where the source names them. */
  readonly retryAfterSeconds?: number;
}

/** What a source answers: something, or why not. */
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

/** The source says "not there" but may be wrong: any other source's word outweighs it. */
export function maybeNotFound(cause: string): Refusal {
  return { ok: false, failure: { kind: "maybeNotFound", cause: outside(cause) } };
}

/** This one post is withheld, such as a video that is not to be embedded. */
export function refused(cause: string): Refusal {
  return { ok: false, failure: { kind: "refused", cause: outside(cause) } };
}

/** The source cannot serve posts of this kind; it was, in effect, not asked. */
export function notApplicable(cause: string): Refusal {
  return { ok: false, failure: { kind: "notApplicable", cause: outside(cause) } };
}

/** An error that says nothing for sure of the post, and nothing of the source. */
export function inconclusive(cause: string): Refusal {
  return { ok: false, failure: { kind: "inconclusive", cause: outside(cause) } };
}

/** The source turns requests away: status 401, 403 or 429, a log-in wall, a challenge, no credit. */
export function sourceRefused(cause: string, wait: Wait = {}): Refusal {
  return { ok: false, failure: { kind: "sourceRefused", cause: outside(cause), ...wait } };
}

/** The source is out of order: status 5xx, or no connection. */
export function sourceFailed(cause: string, wait: Wait = {}): Refusal {
  return { ok: false, failure: { kind: "sourceFailed", cause: outside(cause), ...wait } };
}

/** The source did not answer in time. */
export function sourceTimedOut(cause: string, wait: Wait = {}): Refusal {
  return { ok: false, failure: { kind: "sourceTimedOut", cause: outside(cause), ...wait } };
}

type Wait = Pick<SourceTrouble, "retryAfterSeconds">;
