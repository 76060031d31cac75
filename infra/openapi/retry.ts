import type { ErrorCode } from "../../src/contract/errors.ts";

/**
 * What a client does about a code. `never`: the same request fails again. `after-change`: it may
 * succeed once something else has changed. `after-reset`: it waits for `Retry-After`, plus jitter.
 * `backoff`: capped exponential backoff with jitter, and at least `Retry-After` where there is one.
 */
export interface Retry {
  readonly retry: "never" | "after-change" | "after-reset" | "backoff";
  readonly advice: string;
}

const CORRECT = "Correct the request. Do not retry it as it is.";
const BACK_OFF = "Retry with capped exponential backoff and jitter.";

/** Section 7 of the specification, and the two codes of requests that miss the endpoint. */
export const RETRIES: Readonly<Record<ErrorCode, Retry>> = {
  SERVICE_UNSUPPORTED: { retry: "never", advice: CORRECT },
  URL_INVALID: { retry: "never", advice: `${CORRECT} The message names the field and the rule.` },
  API_KEY_INVALID: { retry: "after-change", advice: "Send a valid key." },
  INSUFFICIENT_CREDITS: {
    retry: "after-change",
    advice: "Add credits or lower max_results, then retry.",
  },
  MEDIA_NOT_FOUND: {
    retry: "never",
    advice: "Do not retry: there is no supported public media at this URL.",
  },
  UPSTREAM_REJECTED: {
    retry: "never",
    advice: "Do not retry blindly: the platform refused.",
  },
  RATE_LIMITED: {
    retry: "after-reset",
    advice: "Wait for Retry-After seconds, plus jitter, then retry.",
  },
  UPSTREAM_INVALID_RESPONSE: { retry: "backoff", advice: BACK_OFF },
  UPSTREAM_ERROR: { retry: "backoff", advice: BACK_OFF },
  UPSTREAM_TIMEOUT: {
    retry: "backoff",
    advice: "Retry later with capped backoff. Send no parallel duplicates.",
  },
  NOT_FOUND: { retry: "never", advice: "Correct the base URL or the path." },
  METHOD_NOT_ALLOWED: { retry: "never", advice: "Send POST." },
};
