import { outside } from "../log/scrub.ts";
import type { Refusal } from "./answer.ts";

const FIELD_CHARACTERS_MAX = 120;
/**
 * The reply does not have the platform's known form. This is the only way to
 * `UPSTREAM_INVALID_RESPONSE`, so the operator always learns what has changed.
 *
 * @param field path of the field that is missing or has another type
 * @param came the reply, from the interesting part on
 */
export function drifted(cause: string, field: string, came: string): Refusal {
  const drift = { field: outside(field).slice(0, FIELD_CHARACTERS_MAX), excerpt: outside(came) };
  return { ok: false, failure: { kind: "drifted", cause: outside(cause), drift } };
}

/**
 * A text from a marker on, which is the interesting part. The whole text if the marker is missing.
 */
export function textFrom(text: string, marker: string): string {
  return text.slice(Math.max(0, text.indexOf(marker)));
}
