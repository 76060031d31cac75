import { describe, expect, it } from "vitest";
import { examplesOf, REQUESTS } from "../../../infra/openapi/examples.ts";
import { ERRORS } from "../../../src/contract/errors.ts";
import { OPEN_HOLDS_MAX, SERVICE_OPEN_HOLDS_MAX } from "../../../src/credits/limits.ts";
import { formatApiKey } from "../../../src/keys/api-key.ts";
import type { Source } from "../../../src/search/resolver.ts";
import { notFound, refused, sourceFailed, sourceTimedOut } from "../../../src/upstream/answer.ts";
import { drifted } from "../../../src/upstream/drift.ts";
import { RESOLVERS } from "../../support/resolvers.ts";
import { ACCOUNTS, ALLOWED, type Overrides, startService } from "../../support/service.ts";

const POST = { service: "microblog", url: "https://x.com/someone/status/1900000000000000001" };
const KEYED = { "idempotency-key": "order-1" };
const REFUSED = { ...ALLOWED, allowed: false };
const ITEMS = [{ type: "image", url: "https://pbs.twimg.com/media/Sample.jpg" }] as const;
const NO_TEXTS = { title: null, author: null, caption: null };

const found: Source["find"] = async () => {
  return { ok: true, value: { items: [...ITEMS], metadata: NO_TEXTS } };
};

/** The service with one source of posts. */
function start(find: Source["find"], other: Overrides = {}) {
  const microblog = { ...RESOLVERS.microblog, sources: [{ name: "only", find }] };
  return startService({ resolvers: { ...RESOLVERS, microblog }, ...other });
}

/** One request for a post, with what is given here in its body. */
async function ask(body: object | string, headers: Record<string, string> = {}) {
  const { resolve } = await start(found);
  return resolve(typeof body === "string" ? body : { ...POST, ...body }, headers);
}

const meet = (find: Source["find"]) => async () => (await start(find)).resolve(POST);

async function twice(other: object, overrides: Overrides = {}) {
  const { resolve } = await start(found, overrides);
  await resolve(POST, KEYED);
  return resolve({ ...POST, ...other }, KEYED);
}

/** The first answer to so many requests at once and one more, of which no post is found meanwhile. */
async function firstOf(open: number, headers: Record<string, string> = {}) {
  const gate = Promise.withResolvers<void>();
  const { resolve, engine, account } = await start(async () => {
    await gate.promise;
    return notFound("gone");
  });
  await engine.dynamo.update({
    TableName: ACCOUNTS,
    Key: { account: { S: account } },
    UpdateExpression: "SET available = :credits, granted = :credits",
    ConditionExpression: "attribute_exists(account)",
    ExpressionAttributeValues: { ":credits": { N: String(OPEN_HOLDS_MAX) } },
  });
  const body = { ...POST, max_results: 1 };
  const answers = Array.from({ length: open + 1 }, () => resolve(body, headers));
  const first = await Promise.race(answers);
  gate.resolve();
  await Promise.all(answers);
  return first;
}

/** How each example of the document comes about. */
const SITUATIONS: Readonly<Record<string, () => Promise<Response>>> = {
  SERVICE_UNSUPPORTED: () => ask({ service: "video-hub" }),
  URL_INVALID: () => ask({ max_results: 21 }),
  unknown_field: () => ask({ maxResults: 4 }),
  body_too_long: () => ask(" ".repeat(16_385)),
  idempotency_key_reused: () => twice({ max_results: 3 }),
  API_KEY_INVALID: () =>
    ask(POST, { authorization: `Bearer ${formatApiKey(new Uint8Array(32).fill(9))}` }),
  no_key: async () => (await start(found)).send("/v1/resolve", { method: "POST" }),
  INSUFFICIENT_CREDITS: () => ask({ ...REQUESTS.album.value, max_results: 20 }),
  MEDIA_NOT_FOUND: meet(async () => notFound("gone")),
  UPSTREAM_REJECTED: meet(async () => refused("private")),
  RATE_LIMITED: async () => {
    const limiter = { refusal: () => null, count: async () => REFUSED };
    return (await start(found, { limiter })).resolve(POST);
  },
  open_requests: () => firstOf(SERVICE_OPEN_HOLDS_MAX),
  replays: () => twice({}, { replays: { refusal: () => null, count: async () => REFUSED } }),
  under_way: () => firstOf(1, KEYED),
  UPSTREAM_INVALID_RESPONSE: meet(async () => drifted("another form", "items", "{}")),
  UPSTREAM_ERROR: meet(async () => sourceFailed("status 500")),
  UPSTREAM_TIMEOUT: meet(async () => sourceTimedOut("silent")),
  NOT_FOUND: async () => (await start(found)).send("/v1", { method: "POST" }),
  METHOD_NOT_ALLOWED: async () => (await start(found)).send("/v1/resolve"),
};

const EXAMPLES = Object.keys(ERRORS)
  .filter((code): code is keyof typeof ERRORS => code in ERRORS)
  .flatMap((code) => Object.entries(examplesOf(code)));

describe("an example of the API's document", () => {
  it("comes about here", () => {
    expect(Object.keys(SITUATIONS)).toEqual(EXAMPLES.map(([name]) => name));
  });

  it.each(EXAMPLES)("is what the service answers: %s", async (name, { value }) => {
    const response = await SITUATIONS[name]?.();
    expect(response?.status).toBe(ERRORS[value.code].status);
    const request_id: unknown = expect.any(String);
    expect(await response?.json()).toEqual({ ...value, request_id });
  });
});
