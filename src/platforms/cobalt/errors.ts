import type { ErrorCode } from "../../contract/errors.ts";
import { type Failure, failed } from "../../contract/result.ts";
import { drifted } from "../../upstream/drift.ts";

/** "Not there", without being sure of it. */
const TENTATIVE = "tentative";

/**
 * Its codes, without `error.api.` in front, and what each means (cobalt's sources, 2026-04). The
 * rules that end in a dot hold for all that begin so; the first that fits is taken.
 *
 * `fetch.empty` is also what an instance says whose address the platform has blocked (its issues
 * 1386 and 1466); what it says of links and services may be its own configuration, since the link
 * has passed ours. Both are tentative.
 */
const MEANINGS: readonly (readonly [string, ErrorCode | typeof TENTATIVE])[] = [
  ["fetch.empty", TENTATIVE],
  ["fetch.short_link", TENTATIVE],
  ["fetch.rate", "UPSTREAM_REJECTED"],
  ["fetch.fail", "UPSTREAM_ERROR"],
  ["fetch.critical", "UPSTREAM_ERROR"],
  ["fetch.critical.", "UPSTREAM_ERROR"],
  ["content.too_long", TENTATIVE],
  ["content.post.", "MEDIA_NOT_FOUND"],
  ["content.video.", "MEDIA_NOT_FOUND"],
  ["content.paid", "MEDIA_NOT_FOUND"],
  ["content.region", "MEDIA_NOT_FOUND"],
  ["link.", TENTATIVE],
  ["service.", TENTATIVE],
  ["rate_exceeded", "UPSTREAM_REJECTED"],
  ["capacity", "UPSTREAM_REJECTED"],
  ["auth.", "UPSTREAM_REJECTED"],
  ["generic", "UPSTREAM_ERROR"],
  ["unreachable", "UPSTREAM_ERROR"],
  ["timed_out", "UPSTREAM_TIMEOUT"],
];

/** What an error of the instance says about the post. An unknown one means another version. */
export function cobaltFailure(
  code: string,
  body: string,
): { readonly ok: false; readonly failure: Failure } {
  const name = code.replace(/^error\.api\./, "");
  const fits = ([rule]: readonly [string, unknown]) =>
    rule.endsWith(".") ? name.startsWith(rule) : name === rule;
  const meaning = MEANINGS.find(fits)?.[1];
  const cause = `error ${name.replace(/[^\w.]/g, "").slice(0, 60)}`;
  if (meaning === undefined) return drifted(cause, "error.code", body);
  if (meaning === TENTATIVE) return failed("MEDIA_NOT_FOUND", cause, { tentative: true });
  return failed(meaning, cause);
}
