/**
 * The error catalogue: one row per code that a client can receive. Most codes come from section 7
 * of the interface specification. `NOT_FOUND` and `METHOD_NOT_ALLOWED` are for requests that miss
 * the endpoint.
 */
export const ERRORS = {
  SERVICE_UNSUPPORTED: { status: 400, message: "This service is not supported." },
  URL_INVALID: { status: 400, message: "The request is not valid." },
  // One sentence for every key that is not accepted: it tells nobody which keys exist.
  API_KEY_INVALID: {
    status: 401,
    message:
      "This API key is not accepted: it is unknown, inactive, revoked or expired, or its account " +
      "may not use it.",
  },
  INSUFFICIENT_CREDITS: {
    status: 402,
    message: "The account cannot hold the credits that this request would reserve.",
  },
  MEDIA_NOT_FOUND: { status: 422, message: "No supported public media was found at this URL." },
  UPSTREAM_REJECTED: { status: 422, message: "The media provider rejected the resolution." },
  RATE_LIMITED: { status: 429, message: "Too many requests. Wait for the reset, then retry." },
  UPSTREAM_INVALID_RESPONSE: {
    status: 502,
    message: "The media provider returned an invalid response.",
  },
  UPSTREAM_ERROR: { status: 502, message: "The request could not be completed." },
  UPSTREAM_TIMEOUT: { status: 504, message: "The media provider did not answer in time." },
  NOT_FOUND: { status: 404, message: "There is nothing here. The endpoint is POST /v1/resolve." },
  METHOD_NOT_ALLOWED: { status: 405, message: "The endpoint accepts POST only." },
} as const;

export type ErrorCode = keyof typeof ERRORS;
