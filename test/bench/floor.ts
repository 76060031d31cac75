/**
 * The least that the same work can cost. For the same requests it makes as many subrequests, as
 * many of them in a row, sends messages of the same size, and parses the same replies. It uses bare
 * `fetch`, without SDK, signature, validation, time limits or log. It hashes the key, because
 * tables never store the key itself.
 */

interface Env {
  readonly DYNAMODB_ENDPOINT: string;
  readonly UPSTASH_REDIS_REST_URL: string;
  readonly EGRESS_URL: string;
}

interface Ask {
  readonly url: string;
}

interface Reply {
  readonly user: { readonly screen_name: string };
  readonly text: string;
  readonly mediaDetails: readonly { readonly media_url_https: string }[];
}

const ACCOUNT = "acct_0123456789abcdef01";
const SCRIPT = "27baed8ddb7e0d3a0a7f21c4cf0a3b6b3ad9ab34";
const AUTHORIZATION =
  "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261101/eu-central-1/dynamodb/aws4_request, " +
  `SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=${"0".repeat(64)}`;

export default {
  async fetch(request, env, context) {
    const { url } = await request.json<Ask>();
    const key = await keyId(request.headers.get("authorization")?.slice(7) ?? "");
    const look = { TableName: "pmrs-api-keys", Key: { key_id: { S: key } }, ConsistentRead: true };
    const count = ["evalsha", SCRIPT, 2, `pmrs:${key}:29650000`, "", 120, 60_000, 1];
    await Promise.all([dynamodb(env, "GetItem", look), limiter(env, count)]);
    const requestId = crypto.randomUUID();
    // Requests that the service refuses end here.
    if (!url.includes("/status/")) return refuse(requestId);
    await dynamodb(env, "UpdateItem", reserve(requestId));
    const found = await fetch(`${env.EGRESS_URL}/?url=${encodeURIComponent(url)}`);
    const post = await found.json<Reply>();
    await dynamodb(env, "PutItem", record(requestId, key));
    context.waitUntil(dynamodb(env, "UpdateItem", release(requestId)));
    return Response.json({
      ok: true,
      service: "microblog",
      source_url: url,
      item_count: post.mediaDetails.length,
      items: post.mediaDetails.map((medium) => ({ type: "image", url: medium.media_url_https })),
      metadata: { title: null, author: post.user.screen_name, caption: post.text },
      request_id: requestId,
      credits_used: post.mediaDetails.length,
    });
  },
} satisfies ExportedHandler<Env>;

async function keyId(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  const words = new DataView(digest);
  const hex = [0, 4, 8].map((at) => words.getUint32(at).toString(16).padStart(8, "0"));
  return `key_${hex.join("")}`;
}

function refuse(requestId: string): Response {
  const message = "url: is not a microblog URL; expected x.com/<user>/status/<id>";
  const body = { error: true, code: "URL_INVALID", message, request_id: requestId };
  return Response.json(body, { status: 400 });
}

function dynamodb(env: Env, operation: string, message: unknown): Promise<unknown> {
  return post(env.DYNAMODB_ENDPOINT, message, {
    "content-type": "application/x-amz-json-1.0",
    "x-amz-target": `DynamoDB_20120810.${operation}`,
    "x-amz-date": "20261101T000000Z",
    authorization: AUTHORIZATION,
  });
}

function limiter(env: Env, command: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json", authorization: "Bearer bench" };
  return post(env.UPSTASH_REDIS_REST_URL, command, headers);
}

async function post(url: string, message: unknown, headers: Record<string, string>) {
  const body = JSON.stringify(message);
  const reply = await fetch(url, { method: "POST", headers, body });
  return reply.json();
}

function reserve(requestId: string) {
  return {
    TableName: "pmrs-accounts",
    Key: { account: { S: ACCOUNT } },
    UpdateExpression:
      "SET available = available - :n, held = held + :n, holds.#request = :hold, sweep = :open, " +
      "#counter = if_not_exists(#counter, :zero) + :one",
    ConditionExpression:
      "#status = :active AND email_verified = :true AND available >= :n " +
      "AND attribute_not_exists(holds.#request) AND size(holds) < :max " +
      "AND (attribute_not_exists(#counter) OR #counter < :serviceMax)",
    ExpressionAttributeNames: {
      "#status": "status",
      "#request": requestId,
      "#counter": "open_microblog",
    },
    ExpressionAttributeValues: {
      ":n": { N: "20" },
      ":hold": {
        M: {
          n: { N: "20" },
          exp: { N: "1793491380000" },
          nonce: { S: "abcdefgh" },
          s: { S: "microblog" },
        },
      },
      ":open": { S: "open" },
      ":active": { S: "active" },
      ":true": { BOOL: true },
      ":max": { N: "250" },
      ":serviceMax": { N: "120" },
      ":zero": { N: "0" },
      ":one": { N: "1" },
    },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
}

function record(requestId: string, key: string) {
  return {
    TableName: "pmrs-ledger",
    Item: {
      account_period: { S: `${ACCOUNT}#2026-11` },
      record_id: { S: requestId },
      kind: { S: "usage" },
      account: { S: ACCOUNT },
      key_id: { S: key },
      service: { S: "microblog" },
      outcome: { S: "OK" },
      reserved: { N: "20" },
      item_count: { N: "4" },
      multiplier: { N: "1" },
      charge: { N: "4" },
      nonce: { S: "abcdefgh" },
      settled_by: { S: "request" },
      settled_at: { S: "2026-11-01T00:00:00.000Z" },
    },
    ConditionExpression: "attribute_not_exists(record_id)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
}

function release(requestId: string) {
  return {
    TableName: "pmrs-accounts",
    Key: { account: { S: ACCOUNT } },
    UpdateExpression:
      "SET available = available + :returned, held = held - :n, charged = charged + :charge, " +
      "#counter = if_not_exists(#counter, :one) - :one REMOVE holds.#request",
    ConditionExpression: "holds.#request.nonce = :nonce AND holds.#request.n = :n",
    ExpressionAttributeNames: { "#request": requestId, "#counter": "open_microblog" },
    ExpressionAttributeValues: {
      ":n": { N: "20" },
      ":charge": { N: "4" },
      ":returned": { N: "16" },
      ":nonce": { S: "abcdefgh" },
      ":one": { N: "1" },
    },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
}
