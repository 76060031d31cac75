import { zValidator } from "@hono/zod-validator";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { HonoBase } from "hono/hono-base";
import { HTTPException } from "hono/http-exception";
import { LinearRouter } from "hono/router/linear-router";
import type { BlankEnv } from "hono/types";
import { ERRORS, type ErrorCode } from "../contract/errors.ts";
import type { Failure, SpentQuota } from "../contract/result.ts";
import { type ErrorBody, type ResolveResponse, resolveRequestSchema } from "../contract/schemas.ts";
import { admit } from "../keys/admit.ts";
import type { ApiKey } from "../keys/lookup.ts";
import { rateLimitHeaders, spentHeaders } from "../limiter/limiter.ts";
import { startTrace, type Trace } from "../log/request-line.ts";
import { type Collaborators, resolve, type Told } from "../resolve.ts";
import { EVERY_RESPONSE } from "./headers.ts";
import { describeIssue, describeSyntax } from "./invalid-request.ts";
import { readBody, withText } from "./request-body.ts";

export const ENDPOINT = "/v1/resolve";

/** When the key of the request ends, as an HTTP date: it was rotated, and is in its grace. */
const KEY_EXPIRES = "X-Api-Key-Expires";

declare module "hono" {
  interface ContextVariableMap {
    trace: Trace;
    key: ApiKey;
    outcome: ErrorCode | "OK";
    /** Headers of the response, beside those of every response. */
    headers: Record<string, string>;
  }
}

/**
 * HTTP in, HTTP out: routes, headers, validation, and the one place that turns a failure into a
 * response. `resolve.ts` has the path of a request.
 */
export function createApp(service: Collaborators): Hono {
  // One route needs none of the routers that Hono chooses from by itself: 2 KB of the bundle.
  const app = new HonoBase<BlankEnv>({ getPath: literalPath, router: new LinearRouter() });

  app.use(async (c, next) => {
    const trace = startTrace(service.requestId(), service.now);
    c.set("trace", trace);
    c.set("outcome", "OK");
    c.set("headers", { "X-Request-Id": trace.requestId });
    await next();
    service.log(trace.line(c.res.status, c.get("outcome")));
  });

  app.post(
    ENDPOINT,
    admission(service),
    zValidator("json", resolveRequestSchema, (result, c) =>
      result.success ? undefined : refuse(c, describeIssue(result.error.issues, result.data)),
    ),
    async (c) => {
      const { executionCtx } = c;
      const waitUntil = (work: Promise<unknown>) => executionCtx.waitUntil(work);
      const idempotencyKey = c.req.header("Idempotency-Key");
      const tell = (told: Told) => describeCredits(c, told);
      const { signal } = c.req.raw;
      const call = { trace: c.get("trace"), idempotencyKey, signal, waitUntil, tell };
      const result = await resolve(service, { call, key: c.get("key") }, c.req.valid("json"));
      return result.ok ? respond(c, result.value, 200) : refuse(c, result.failure);
    },
  );

  app.all(ENDPOINT, (c) => {
    c.get("headers")["Allow"] = "POST";
    return refuse(c, { code: "METHOD_NOT_ALLOWED", cause: "not POST" });
  });

  app.notFound((c) => refuse(c, { code: "NOT_FOUND", cause: "no such path" }));

  app.onError(refuseThrown);

  return app;
}

/** The validator throws for a body that is no JSON; whatever else is thrown is a bug. */
async function refuseThrown(error: Error, c: Context): Promise<Response> {
  if (error instanceof HTTPException && error.status === 400) {
    return refuse(c, describeSyntax(await c.req.text()));
  }
  return refuse(c, { code: "UPSTREAM_ERROR", cause: `exception: ${error.stack ?? error}` });
}

/** What a request has cost, and what is left; as text, in whole credits. */
function describeCredits(c: Context, { charged, available, requestId, isReplay }: Told): void {
  const headers = c.get("headers");
  if (charged !== undefined) headers["X-Credits-Charged"] = String(charged);
  if (typeof available === "number") headers["X-Credits-Available"] = String(available);
  if (requestId !== undefined) headers["X-Request-Id"] = requestId;
  if (isReplay) headers["Idempotent-Replayed"] = "true";
}

/** Every response is made here, with all of its headers at once: one by one they cost 30 µs more. */
function respond(c: Context, body: ErrorBody | ResolveResponse, status: number): Response {
  const headers = { "Content-Type": "application/json", ...EVERY_RESPONSE, ...c.get("headers") };
  return new Response(JSON.stringify(body), { status, headers });
}

/**
 * The endpoint's path if the URL has it as it stands, otherwise the root's. Hono would decode the path
 * and drop a slash at its end, and another spelling of the endpoint is not the endpoint.
 */
function literalPath({ url }: Request): string {
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  const end = path.search(/[?#]/);
  return (end === -1 ? path : path.slice(0, end)) === ENDPOINT ? ENDPOINT : "/";
}

/** Authenticates and limits, and hands the body that was read to the validator. */
function admission(service: Collaborators): MiddlewareHandler {
  return async (c, next) => {
    const { raw } = c.req;
    const { caller, verdict, expiresMs } = await admit(service, c.get("trace"), {
      authorization: c.req.header("Authorization"),
      address: c.req.header("CF-Connecting-IP") ?? null,
      readBody: () => readBody(raw, service.timer),
    });
    const headers = c.get("headers");
    if (verdict !== null) Object.assign(headers, rateLimitHeaders(verdict, service.now()));
    if (expiresMs !== null) headers[KEY_EXPIRES] = new Date(expiresMs).toUTCString();
    if (!caller.ok) return refuse(c, caller.failure);
    const { key, body } = caller.value;
    c.set("key", key);
    c.req.raw = withText(raw, body);
    return next();
  };
}

/** The longest that a client is asked to wait, whoever named the time. */
export const RETRY_AFTER_MAX_SECONDS = 3_600;

/** Turns a failure into its response. The cause goes to the log only. */
function refuse(c: Context, failure: Failure): Response {
  const { code, cause, retryAfterSeconds, spent, available } = failure;
  const { status, message } = ERRORS[code];
  const { requestId, note } = c.get("trace");
  note({ cause });
  c.set("outcome", code);
  if (code === "API_KEY_INVALID") challenge(c);
  if (available !== undefined) describeCredits(c, { charged: 0, available });
  if (retryAfterSeconds !== undefined) {
    const seconds = Math.min(retryAfterSeconds, RETRY_AFTER_MAX_SECONDS);
    c.get("headers")["Retry-After"] = String(seconds);
    if (spent !== undefined) nameQuota(c, spent, seconds);
  }
  const body: ErrorBody = {
    error: true,
    code,
    message: failure.message ?? message,
    request_id: requestId,
  };
  return respond(c, body, status);
}

/**
 * Adds the policy of the limit that refused, whose state replaces that of the requests a minute: what
 * is left of those does not help the client.
 */
function nameQuota(c: Context, spent: SpentQuota, retryAfterSeconds: number): void {
  const { state, policy } = spentHeaders(spent, retryAfterSeconds);
  const headers = c.get("headers");
  const others = headers["RateLimit-Policy"];
  headers["RateLimit"] = state;
  headers["RateLimit-Policy"] = others === undefined ? policy : `${others}, ${policy}`;
}

/** Every 401 looks the same, the reserve's too, which comes after the limiter has spoken. */
function challenge(c: Context): void {
  const headers = c.get("headers");
  headers["WWW-Authenticate"] = "Bearer";
  for (const name of ["RateLimit", "RateLimit-Policy", KEY_EXPIRES]) delete headers[name];
}
