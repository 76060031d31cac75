import {
  inconclusive,
  maybeNotFound,
  notFound,
  type Refusal,
  sourceFailed,
  sourceRefused,
  sourceTimedOut,
} from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";

/**
 * Its codes, without `error.api.` in front, and what each means (cobalt's sources, 2026-04). The
 * rules that end in a dot hold for all that begin so; the first that fits is taken.
 *
 * `fetch.empty` is also returned when the platform has blocked the instance's IP (its issues 1386
 * and 1466). What it says of links and services may be its own configuration, since the link has
 * passed ours. So neither is sure. A failed fetch may be the platform's or this one post's.
 */
const MEANINGS: readonly (readonly [string, (cause: string) => Refusal])[] = [
  ["fetch.empty", maybeNotFound],
  ["fetch.short_link", maybeNotFound],
  ["fetch.rate", sourceRefused],
  ["fetch.fail", inconclusive],
  ["fetch.critical", inconclusive],
  ["fetch.critical.", inconclusive],
  ["content.too_long", maybeNotFound],
  ["content.post.", notFound],
  ["content.video.", notFound],
  ["content.paid", notFound],
  ["content.region", notFound],
  ["link.", maybeNotFound],
  ["service.", maybeNotFound],
  ["rate_exceeded", sourceRefused],
  ["capacity", sourceRefused],
  ["auth.", sourceRefused],
  ["generic", inconclusive],
  ["unreachable", sourceFailed],
  ["timed_out", sourceTimedOut],
];

/**
 * What an error of the instance says about the post. An unknown code means another version of
 * cobalt.
 */
export function cobaltFailure(code: string, body: string): Refusal {
  const name = code.replace(/^error\.api\./, "");
  const fits = ([rule]: readonly [string, unknown]) =>
    rule.endsWith(".") ? name.startsWith(rule) : name === rule;
  const meaning = MEANINGS.find(fits)?.[1];
  const cause = `error ${name.replace(/[^\w.]/g, "").slice(0, 60)}`;
  return meaning === undefined ? drifted(cause, "error.code", body) : meaning(cause);
}
