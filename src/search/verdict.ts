import type { ErrorCode } from "../contract/errors.ts";
import { type Failure, failed } from "../contract/result.ts";
import type { SourceFailure } from "../upstream/answer.ts";

/** Why the search has nothing of a source: its failure, or that it was not asked during its pause. */
export type Miss = SourceFailure | { readonly kind: "leftAlone"; readonly cause: string };

type Kind = Miss["kind"];

/** The request's error code for each kind of failure. */
const CODES = {
  notFound: "MEDIA_NOT_FOUND",
  leftAlone: "UPSTREAM_ERROR",
  refused: "UPSTREAM_REJECTED",
  sourceRefused: "UPSTREAM_REJECTED",
  drifted: "UPSTREAM_INVALID_RESPONSE",
  sourceFailed: "UPSTREAM_ERROR",
  inconclusive: "UPSTREAM_ERROR",
  sourceTimedOut: "UPSTREAM_TIMEOUT",
  maybeNotFound: "MEDIA_NOT_FOUND",
  // The same as for a service without sources: a retry would change nothing.
  notApplicable: "UPSTREAM_REJECTED",
} as const satisfies Record<Kind, ErrorCode>;

/**
 * How much each kind says about the post, most first. Kinds in one row say the same. A source that
 * was left alone might have had the post: no other's refusal is the last word then.
 */
const BY_SPECIFICITY: readonly (readonly Kind[])[] = [
  ["notFound"],
  ["leftAlone"],
  ["refused", "sourceRefused"],
  ["drifted"],
  ["sourceFailed", "inconclusive"],
  ["sourceTimedOut"],
  ["maybeNotFound"],
  ["notApplicable"],
];

const NO_SOURCE = "no source configured for this service";
const NONE_APPLIES = "no source of this service can resolve this kind of post";

export function codeOf(kind: Kind): ErrorCode {
  return CODES[kind];
}

/**
 * Makes the request's one failure out of its sources' failures: the one that says most about the
 * post, whatever the order of the sources. Its cause lists all of them.
 */
export function verdictOf(failures: readonly Miss[]): Failure {
  const [first] = failures.toSorted((a, b) => rank(a) - rank(b));
  if (first === undefined) {
    return failed("UPSTREAM_REJECTED", NO_SOURCE, { message: NO_SOURCE }).failure;
  }
  const cause = failures.map((failure) => failure.cause).join("; ");
  if (first.kind === "drifted") return { code: CODES[first.kind], cause, drift: first.drift };
  if (first.kind === "notApplicable") {
    return { code: CODES[first.kind], cause, message: NONE_APPLIES };
  }
  const { retryAfterSeconds } = { retryAfterSeconds: undefined, ...first };
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { code: CODES[first.kind], cause, ...wait };
}

function rank({ kind }: Miss): number {
  return BY_SPECIFICITY.findIndex((kinds) => kinds.includes(kind));
}
