import type { ErrorCode } from "../contract/contract.ts";

/** What to do after each error. The client has already done the retries that make sense. */
const ADVICE: Readonly<Record<ErrorCode | "UNKNOWN", string>> = {
  SERVICE_UNSUPPORTED: "Leave out the service, or use one of the tool's list.",
  URL_INVALID: "Do not repeat the call: correct the URL.",
  API_KEY_INVALID: "Do not repeat the call: PUBLIC_MEDIA_API_KEY must be set to a valid key.",
  INSUFFICIENT_CREDITS: "Ask for a lower max_results, or add credits to the account.",
  MEDIA_NOT_FOUND: "Do not repeat the call: the post has no public media, or is not public.",
  UPSTREAM_REJECTED: "Do not repeat the call now: the platform refused it.",
  RATE_LIMITED: "Wait for some minutes before the next call.",
  UPSTREAM_INVALID_RESPONSE: "Several attempts failed; try again later.",
  UPSTREAM_ERROR: "Several attempts failed; try again later.",
  UPSTREAM_TIMEOUT: "Several attempts failed; try again later, and not several times at once.",
  NOT_FOUND: "PUBLIC_MEDIA_BASE_URL does not lead to the service.",
  METHOD_NOT_ALLOWED: "PUBLIC_MEDIA_BASE_URL does not lead to the service.",
  UNKNOWN: "PUBLIC_MEDIA_BASE_URL may not lead to the service.",
};

/** @param code null when there was no answer */
export function advice(code: ErrorCode | "UNKNOWN" | null): string {
  return code === null ? "" : ADVICE[code];
}
