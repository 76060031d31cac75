import { zValidator } from "@hono/zod-validator";
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import type * as z from "zod/mini";
import { ERRORS, type ErrorCode } from "../contract/errors.ts";
import type { Failure } from "../contract/result.ts";
import { failed } from "../contract/result.ts";
import { type ErrorBody, resolveRequestSchema } from "../contract/schemas.ts";
import type { ApiKey } from "../keys/lookup.ts";
import { rateLimitHeaders } from "../limiter/limiter.ts";
import { startTrace, type Trace } from "../log/request-line.ts";
import { admit, type Collaborators, resolve } from "../resolve.ts";
import { readBody, withText } from "./request-body.ts";

const ENDPOINT = "/v1/resolve";

declare module "hono" {
  interface ContextVariableMap {
    trace: Trace;
    key: ApiKey;
    outcome: ErrorCode | "OK";
  }
}

/**
 * HTTP in, HTTP out: route, headers, validation, and the one place that turns a failure into a
 * response. What a request does is in `resolve.ts`.
 */
export function createApp(service: Collaborators): Hono {
  const app = new Hono();

  app.use(async (c, next) => {
    const trace = startTrace(service.requestId(), service.now);
    c.set("trace", trace);
    c.set("outcome", "OK");
    c.header("X-Request-Id", trace.requestId);
    c.header("Cache-Control", "no-store");
    await next();
    service.log(trace.line(c.res.status, c.get("outcome")));
  });

  const admission = createMiddleware(async (c, next) => {
    const { key, verdict } = await admit(service, c.get("trace"), c.req.header("Authorization"));
    const headers = verdict === null ? {} : rateLimitHeaders(verdict, service.now());
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    if (!key.ok) return refuse(c, key.failure);
    c.set("key", key.value);
    return next();
  });

  const body = createMiddleware(async (c, next) => {
    const text = await readBody(c.req.raw);
    if (!text.ok) return refuse(c, text.failure);
    c.req.raw = withText(c.req.raw, text.value);
    return next();
  });

  app.post(
    ENDPOINT,
    admission,
    body,
    zValidator("json", resolveRequestSchema, (result, c) =>
      result.success ? undefined : refuse(c, describeIssue(result.error.issues, result.data)),
    ),
    async (c) => {
      const { executionCtx } = c;
      const waitUntil = (work: Promise<unknown>) => executionCtx.waitUntil(work);
      const call = { trace: c.get("trace"), signal: c.req.raw.signal, waitUntil };
      const result = await resolve(service, { call, key: c.get("key") }, c.req.valid("json"));
      return result.ok ? c.json(result.value) : refuse(c, result.failure);
    },
  );

  app.all(ENDPOINT, (c) => {
    c.header("Allow", "POST");
    return refuse(c, { code: "METHOD_NOT_ALLOWED", cause: c.req.method });
  });

  app.notFound((c) => refuse(c, { code: "NOT_FOUND", cause: "no such path" }));

  app.onError((error, c) => {
    if (error instanceof HTTPException && error.status === 400) {
      const rule = "must be valid JSON";
      return refuse(c, { code: "URL_INVALID", cause: `body: ${rule}`, message: `body: ${rule}` });
    }
    return refuse(c, { code: "UPSTREAM_ERROR", cause: `exception: ${error.stack ?? error}` });
  });

  return app;
}

/** The failure as its response; the cause goes to the log only. */
function refuse(c: Context, failure: Failure): Response {
  const { code, cause, retryAfterSeconds } = failure;
  const { status, message } = ERRORS[code];
  const { requestId, note } = c.get("trace");
  note({ cause });
  c.set("outcome", code);
  if (code === "API_KEY_INVALID") c.header("WWW-Authenticate", "Bearer");
  if (retryAfterSeconds !== undefined) c.header("Retry-After", String(retryAfterSeconds));
  const body: ErrorBody = {
    error: true,
    code,
    message: failure.message ?? message,
    request_id: requestId,
  };
  return c.json(body, status);
}

const NAME_CHARACTERS_MAX = 64;

/** Says which field breaks which rule. A service that does not exist outweighs all else. */
function describeIssue(issues: readonly z.core.$ZodIssue[], submitted: unknown): Failure {
  const service = issues.find(({ path }) => path[0] === "service");
  if (service !== undefined && hasText(submitted, "service")) {
    return failed("SERVICE_UNSUPPORTED", "unknown service").failure;
  }
  const [issue] = issues;
  const field = issue?.path.join(".") || "body";
  const rule =
    issue?.code === "unrecognized_keys"
      ? `has the unknown field "${issue.keys[0]?.slice(0, NAME_CHARACTERS_MAX)}"`
      : issue?.message;
  const message = `${field}: ${rule}`;
  return failed("URL_INVALID", message, { message }).failure;
}

function hasText(value: unknown, field: string): boolean {
  return (
    typeof value === "object" && value !== null && typeof Reflect.get(value, field) === "string"
  );
}
