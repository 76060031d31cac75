import { EVERY_RESPONSE } from "../../src/http/headers.ts";
import {
  LIMIT_REQUESTS,
  LIMIT_WINDOW_SECONDS,
  rateLimitHeaders,
  spentHeaders,
} from "../../src/limiter/limiter.ts";
import { LIMITS } from "./limits.ts";

const DEFAULT_POLICY = `"default";q=${LIMIT_REQUESTS};w=${LIMIT_WINDOW_SECONDS}`;
const QUOTA = `q=(${LIMITS.open_requests_per_account}|${LIMITS.open_requests_per_account_and_service})`;
const HOLDS_POLICY = `"holds";${QUOTA};qu="concurrent-requests"`;
const DEFAULT_STATE = DEFAULT_POLICY.replace(";", ";r=\\d+;t=[1-9]\\d*;");
const HOLDS_STATE = HOLDS_POLICY.replace(";", ";r=0;t=[1-9]\\d*;");

const verdict = { allowed: true, remaining: LIMIT_REQUESTS - 1, resetMs: 42_000 };
const counted = rateLimitHeaders(verdict, 0);
const crowded = { policy: "holds", quota: LIMITS.open_requests_per_account } as const;
const spent = spentHeaders({ ...crowded, unit: "concurrent-requests" }, 30);

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
const HTTP_DATE =
  "(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} " +
  "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \\d{4} \\d{2}:\\d{2}:\\d{2} GMT";

const matching = (pattern: string) => ({ type: "string", pattern: `^${pattern}$` });
const always = (value: string) => ({ type: "string", const: value });
const fromTo = (minimum: number, maximum: number) => ({ type: "integer", minimum, maximum });
const CREDITS = fromTo(0, Number.MAX_SAFE_INTEGER);

/** Headers that every response has with the same value. */
const FIXED = Object.entries(EVERY_RESPONSE).map(([name, value]) => {
  return [
    name,
    { description: "Always the same.", required: true, schema: always(value) },
  ] as const;
});

/** Every header of the responses by name, without `Content-Type`: OpenAPI names that elsewhere. */
export const HEADERS = {
  "X-Request-Id": {
    description:
      "Names the request; a UUID. The body's request_id repeats it. Quote it to support.",
    required: true,
    schema: { ...matching(UUID), format: "uuid" },
  },
  RateLimit: {
    description:
      "What is left of the limit (r), and the seconds until it is whole again (t), as in " +
      'draft-ietf-httpapi-ratelimit-headers. It repeats the policy. "default" counts a key\'s ' +
      'requests, "holds" its account\'s open ones. Left out while the limiter does not answer.',
    schema: matching(`(${DEFAULT_STATE}|${HOLDS_STATE})`),
    examples: {
      default: { summary: "Requests of a key", value: counted["RateLimit"] },
      holds: { summary: "Open requests of an account", value: spent.state },
    },
  },
  "RateLimit-Policy": {
    description: "The limits that apply: q requests in w seconds, or q requests open at once.",
    schema: matching(`(${DEFAULT_POLICY}(, ${HOLDS_POLICY})?|${HOLDS_POLICY})`),
    examples: {
      default: { summary: "Requests of a key", value: counted["RateLimit-Policy"] },
      holds: {
        summary: "After too many open requests",
        value: `${counted["RateLimit-Policy"]}, ${spent.policy}`,
      },
    },
  },
  "Retry-After": {
    description:
      "Whole seconds to wait before a retry. On 502 and 504 only if the platform said so.",
    schema: fromTo(1, LIMITS.retry_after_seconds),
  },
  "X-Credits-Charged": {
    description: "An error costs nothing.",
    schema: { type: "integer", const: 0 },
  },
  "X-Credits-Available": {
    description: "The account's available credits after this request.",
    schema: CREDITS,
  },
  "Idempotent-Replayed": {
    description:
      "The answer to a request that was charged before under this Idempotency-Key. It costs nothing.",
    schema: always("true"),
  },
  "X-Api-Key-Expires": {
    description: "When the key ends, as an HTTP date. Only of a key that was rotated.",
    schema: matching(HTTP_DATE),
  },
  "WWW-Authenticate": {
    description: "The scheme of the key.",
    required: true,
    schema: always("Bearer"),
  },
  Allow: { description: "The endpoint's method.", required: true, schema: always("POST") },
};

export type HeaderName = keyof typeof HEADERS;

/** The same, and those of every response, whose values never change. */
export const ALL_HEADERS = { ...HEADERS, ...Object.fromEntries(FIXED) };

/** `X-Credits-Charged` of a success. */
export const CHARGED = {
  description: "Credits that this request has cost. A replay costs nothing.",
  required: true,
  schema: CREDITS,
};
