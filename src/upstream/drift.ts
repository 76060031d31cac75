import { outside } from "../log/scrub.ts";
import type { Refusal } from "./answer.ts";

const FIELD_CHARACTERS_MAX = 120;
/**
 * A reply of another shape than its platform is known to give. The one way to `UPSTREAM_INVALID_RESPONSE`,
 * and it says what the operator needs in order to see what has changed.
 *
 * @param field path of what is missing or of another kind
 * @param came the reply, from where it is worth reading
 */
export function drifted(cause: string, field: string, came: string): Refusal {
  const drift = { field: outside(field).slice(0, FIELD_CHARACTERS_MAX), excerpt: outside(came) };
  return { ok: false, failure: { kind: "drifted", cause: outside(cause), drift } };
}

/** A text from a marker on, where it is worth reading; the whole where it has none. */
export function textFrom(text: string, marker: string): string {
  return text.slice(Math.max(0, text.indexOf(marker)));
}
