import { SERVICES } from "../../src/contract/schemas.ts";
import { ENDPOINT } from "../../src/http/app.ts";
import { IDEMPOTENCY_KEY } from "../../src/idempotency/idempotency-key.ts";
import type { Resolvers } from "../../src/search/source-order.ts";
import { REQUESTS } from "./examples.ts";
import { ALL_HEADERS } from "./headers.ts";
import { LIMITS } from "./limits.ts";
import { makeResponses } from "./responses.ts";
import { makeSchemas, schemaRef } from "./schemas.ts";

/** Section 9 of the specification. */
const INTERFACE_VERSION = "1.0.0";

const IDEMPOTENCY_PARAMETER = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "One key for each request that you mean, kept over its retries; a UUID is a good one. Within " +
    `${LIMITS.idempotency_key_valid_hours} hours a success under one key is charged once. A ` +
    "repetition is resolved anew for nothing, at most " +
    `${LIMITS.idempotent_replays} times, and has Idempotent-Replayed: true. A failure is run again. ` +
    "While the first request is under way the answer is 429, and with another body 400.",
  schema: { type: "string", pattern: IDEMPOTENCY_KEY.source, minLength: 1, maxLength: 255 },
  example: "3f0c2f1e-6a35-4c1c-9d83-6f3b8a0f7c11",
};

const DESCRIPTION = `Turns the URL of a public social-media post into direct media URLs and metadata.

The service reserves \`max_results\` times the credits per item, and charges only the items that it
returns. An error costs nothing. Media URLs are temporary: use them at once.

Only 429, 502 and 504 are transient. Wait for \`Retry-After\` after a 429, and back off with jitter
after a 502 or 504. Each response says under \`x-retry\` what to do about its codes. Keep one
\`Idempotency-Key\` over all retries, so that a lost answer is charged once.

A resolution takes at most ${LIMITS.resolution_window_seconds} s. Give a client
${LIMITS.recommended_client_timeout_seconds} s. A body has at most ${LIMITS.body_bytes} bytes and arrives
within ${LIMITS.body_complete_within_seconds} s, and a URL has at most ${LIMITS.url_characters} characters.
A key may send ${LIMITS.requests_per_key} requests in ${LIMITS.requests_per_key_window_seconds} s. An account
may have ${LIMITS.open_requests_per_account} requests open at once,
${LIMITS.open_requests_per_account_and_service} of them for one service. \`x-limits\` has every limit.`;

/** The OpenAPI document. What the contract adds to OpenAPI is under names that begin with `x-`. */
export function makeDocument(resolvers: Resolvers) {
  return {
    openapi: "3.1.1",
    info: {
      title: "Public Media Resolution Service",
      version: INTERFACE_VERSION,
      summary: "Public social-media URLs in, direct media URLs out.",
      description: "A prepaid API with one operation. Keys are secrets: keep them on your servers.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [
      {
        url: "{base_url}",
        description: "Your account's base URL. The default is that of `npm run dev`.",
        variables: { base_url: { default: "http://127.0.0.1:8787" } },
      },
    ],
    security: [{ apiKey: [] }],
    paths: { [ENDPOINT]: { post: makeOperation() } },
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "svc_live_[0-9A-Za-z]{49}",
          description: "An API key. Send `Authorization: Bearer svc_live_…`.",
        },
      },
      parameters: { IdempotencyKey: IDEMPOTENCY_PARAMETER },
      headers: ALL_HEADERS,
      schemas: makeSchemas(),
    },
    "x-credits-per-item": Object.fromEntries(
      SERVICES.map((name) => [name, resolvers[name].multiplier]),
    ),
    "x-limits": LIMITS,
  };
}

function makeOperation() {
  return {
    operationId: "resolvePublicMedia",
    summary: "Resolve a public post",
    description: DESCRIPTION,
    parameters: [{ $ref: "#/components/parameters/IdempotencyKey" }],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: { $ref: schemaRef("ResolveRequest") }, examples: REQUESTS },
      },
    },
    responses: makeResponses(),
  };
}
