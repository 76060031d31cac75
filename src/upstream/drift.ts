import type { Refusal } from "./answer.ts";

const FIELD_CHARACTERS_MAX = 120;
const EXCERPT_CHARACTERS_MAX = 200;
/** What is scrubbed shrinks: this much of a reply is looked at to fill an excerpt. */
const SCANNED_CHARACTERS_MAX = 2000;

/** What the log must not hold: addresses (signed ones above all), secrets, ids, encoded data. */
const SCRUBBED: readonly (readonly [RegExp, string])[] = [
  [
    /("[^"]*(?:token|key|secret|signature|password|cookie|session)[^"]*"\s*:\s*")[^"]*/gi,
    "$1<secret>",
  ],
  [/(?:\b[a-z][a-z0-9+.-]*:)?\\?\/\\?\/[^\s"'<>()]*/gi, "<url>"],
  [/[^\s"'<>:,]+@[^\s"'<>:,]+/g, "<address>"],
  [/(?=[\w+/=%.~-]*\d)[\w+/=%.~-]{16,}|[\w+/=%.~-]{40,}/g, "<data>"],
  [/\d{6,}/g, "<digits>"],
];

/**
 * A reply of another shape than its platform is known to give. The one way to `UPSTREAM_INVALID_RESPONSE`,
 * and it says what the operator needs in order to see what has changed.
 *
 * @param field path of what is missing or of another kind
 * @param came the reply, from where it is worth reading
 */
export function drifted(cause: string, field: string, came: string): Refusal {
  const drift = { field: scrub(field).slice(0, FIELD_CHARACTERS_MAX), excerpt: excerptOf(came) };
  return { ok: false, failure: { kind: "drifted", cause, drift } };
}

/** A text from a marker on, where it is worth reading; the whole where it has none. */
export function textFrom(text: string, marker: string): string {
  return text.slice(Math.max(0, text.indexOf(marker)));
}

/** The beginning of a text, bounded, on one line, without what a log must not hold. */
export function excerptOf(text: string): string {
  const scanned = text.slice(0, SCANNED_CHARACTERS_MAX);
  // What the cut has shortened might pass for harmless.
  const whole = scanned.length < text.length ? scanned.replace(/[^\s"'<>]*$/, "") : scanned;
  return scrub(whole.replace(/\s+/g, " ").trim()).slice(0, EXCERPT_CHARACTERS_MAX);
}

function scrub(text: string): string {
  return SCRUBBED.reduce((scrubbed, [what, mark]) => scrubbed.replace(what, mark), text);
}
