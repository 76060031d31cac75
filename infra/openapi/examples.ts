import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { type ResolveResponse, SERVICES } from "../../src/contract/schemas.ts";
import { LIMITS } from "./limits.ts";

const REQUEST_ID = "01a1fc0d-aedf-765a-bcda-c8e545d61d29";

const POST_URL = "https://t.me/sample_channel/101";

/** Requests by name, as the samples of `npm run dev` answer them. */
export const REQUESTS = {
  album: {
    summary: "At most four items",
    value: { service: "messenger-channel", url: POST_URL, max_results: 4 },
  },
  plain: {
    summary: "The default number of items",
    value: { service: "pinboard", url: "https://www.pinterest.com/pin/1000000000000000101/" },
  },
};

const RESOLVED: ResolveResponse = {
  ok: true,
  service: "messenger-channel",
  source_url: POST_URL,
  item_count: 1,
  items: [{ type: "image", url: "https://cdn4.telesco.pe/file/sample-photo-101.jpg" }],
  metadata: { title: null, author: "sample_channel", caption: 'One photo — "quay"' },
  request_id: REQUEST_ID,
  credits_used: 2,
};

/** The body of a 200. */
export const SUCCESSES = { resolved: { summary: "One photo", value: RESOLVED } };

/** An answer with a code: the situation, and its message if that is not the catalogue's. */
interface Situation {
  readonly summary: string;
  readonly message?: string;
}

/** The first of each code's situations is named like the code. */
const SITUATIONS: Readonly<Record<ErrorCode, Readonly<Record<string, Situation>>>> = {
  SERVICE_UNSUPPORTED: {
    SERVICE_UNSUPPORTED: {
      summary: "No such service",
      message: `service: must be one of ${SERVICES.join(", ")}`,
    },
  },
  URL_INVALID: {
    URL_INVALID: {
      summary: "A field breaks a rule",
      message: `max_results: must be an integer from 1 to ${LIMITS.max_results}`,
    },
    unknown_field: {
      summary: "A field is not known",
      message: 'body: has the unknown field "maxResults"; did you mean max_results?',
    },
    body_too_long: { summary: "The body is too long", message: "body: must be at most 16 KiB" },
    idempotency_key_reused: {
      summary: "The Idempotency-Key was used with another request",
      message: "Idempotency-Key: was used with another request in the last 24 hours",
    },
  },
  API_KEY_INVALID: {
    API_KEY_INVALID: { summary: "A key that is not accepted" },
    no_key: {
      summary: "No key",
      message: "The Authorization header is missing. Send Authorization: Bearer <API key>.",
    },
  },
  INSUFFICIENT_CREDITS: {
    INSUFFICIENT_CREDITS: {
      summary: "Too few credits",
      message:
        "The request would reserve 40 credits and 20 are available. Add credits or lower max_results.",
    },
  },
  MEDIA_NOT_FOUND: { MEDIA_NOT_FOUND: { summary: "No public media" } },
  UPSTREAM_REJECTED: { UPSTREAM_REJECTED: { summary: "The platform refused" } },
  RATE_LIMITED: {
    RATE_LIMITED: { summary: "Too many requests of a key" },
    open_requests: {
      summary: "Too many open requests",
      message:
        `Too many open requests: an account may have ${LIMITS.open_requests_per_account_and_service} ` +
        "of them for microblog. A request is open until it is answered. Retry when some of them " +
        "have been.",
    },
    replays: {
      summary: "Too many replays",
      message: "Too many repetitions with this Idempotency-Key today.",
    },
    under_way: {
      summary: "The first request of this Idempotency-Key is not answered yet",
      message: "A request with this Idempotency-Key is still under way. Retry when it has ended.",
    },
  },
  UPSTREAM_INVALID_RESPONSE: {
    UPSTREAM_INVALID_RESPONSE: { summary: "The platform's reply is not in its known form" },
  },
  UPSTREAM_ERROR: { UPSTREAM_ERROR: { summary: "The platform or the service failed" } },
  UPSTREAM_TIMEOUT: { UPSTREAM_TIMEOUT: { summary: "The platform did not answer in time" } },
  NOT_FOUND: { NOT_FOUND: { summary: "Another path" } },
  METHOD_NOT_ALLOWED: { METHOD_NOT_ALLOWED: { summary: "Another method" } },
};

/** The bodies that a code's answers have, by name. */
export function examplesOf(code: ErrorCode) {
  const examples = Object.entries(SITUATIONS[code]).map(([name, { summary, message }]) => {
    const told = { code, message: message ?? ERRORS[code].message };
    return [name, { summary, value: { error: true, ...told, request_id: REQUEST_ID } }] as const;
  });
  return Object.fromEntries(examples);
}
