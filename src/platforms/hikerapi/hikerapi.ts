import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import {
  type Media,
  type Post,
  type Source,
  type SourceTools,
  unset,
} from "../../search/resolver.ts";
import {
  type Answer,
  notFound,
  type Refusal,
  refused,
  sourceRefused,
} from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { parseExactJson } from "../../upstream/exact-json.ts";
import { parseJson } from "../../upstream/json.ts";
import { AGENT_PATIENCE } from "../../upstream/patience.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";
import type { HikerapiSettings } from "./settings.ts";

/**
 * One of the provider's endpoints (documentation of 2025-02 and 2026-08). All are GET. We never
 * send the option `force`, which skips the check for private accounts.
 */
export interface HikerEndpoint {
  /** For example `/v1/story/by/id`. */
  readonly path: string;
  readonly query: (post: Post) => Readonly<Record<string, string>>;
  /** Reads a payload that is no error. Integers beyond 2^53 arrive as strings of their digits. */
  readonly read: (payload: unknown, post: Post, tools: SourceTools) => Answer<Media>;
}

/** Twice the size of about 100 stories of 7 KB each. */
const BODY_BYTES_MAX = 1_500_000;

/** A contracted provider. It sees more than a logged-out visitor, but only of public accounts. */
export function hikerapi(settings: HikerapiSettings, endpoint: HikerEndpoint): Source {
  const { HIKERAPI_URL, HIKERAPI_KEY } = settings;
  const name = "hikerapi";
  if (HIKERAPI_KEY === null) return unset(name, "HIKERAPI_KEY");
  const { path, query, read } = endpoint;
  const base = `${HIKERAPI_URL}${path}`;
  const request = {
    hosts: [],
    operatorOrigin: new URL(HIKERAPI_URL).origin,
    maxBytes: BODY_BYTES_MAX,
    headers: { accept: "application/json", "x-access-key": HIKERAPI_KEY },
  };
  const find: Source["find"] = async (post, tools) => {
    const url = `${base}?${new URLSearchParams(query(post))}`;
    const reply = await tools.upstream({ ...request, url });
    if (!reply.ok) return reply;
    const payload = readReply(reply.value, tools);
    return payload.ok ? read(payload.value, post, tools) : payload;
  };
  return { name, find, isPaid: true, patience: AGENT_PATIENCE };
}

/** A reply with one of these keys is an error, whatever its status (insta-dl, 2026-08). */
const errorSchema = z.object({
  exc_type: z.catch(z.nullish(z.string()), ""),
  detail: z.optional(z.unknown()),
});

/** The provider's exceptions for missing posts, named after instagrapi's (2026-08). */
const NOT_THERE = /NotFound|Unavailable|Private/;

function readReply(reply: UpstreamReply, { log }: SourceTools): Answer<unknown> {
  const payload = parseJson(reply.body, parseExactJson);
  const error = errorIn(payload);
  if (reply.status !== 200) {
    return refusal(reply, `status ${reply.status} ${error ?? ""}`.trim(), log);
  }
  if (payload === undefined) return drifted("not JSON", "body", reply.body);
  if (error === null) return success(payload);
  const cause = `error in a 200: ${error || "unnamed"}`;
  return NOT_THERE.test(error) ? notFound(cause) : refused(cause);
}

/** The error's type, or empty if it names none. Null for a payload that is no error. */
function errorIn(payload: unknown): string | null {
  const { exc_type = null, detail = null } = errorSchema.safeParse(payload).data ?? {};
  if (exc_type === null && detail === null) return null;
  return /^\w{1,60}$/.exec(exc_type ?? "")?.[0] ?? "";
}

/**
 * What the provider's statuses mean (hiker-doc, 2025-02). 403: the account is private. 410: the
 * endpoint no longer exists. 400 and 422: it refuses a well-formed id. The log tells the operator
 * of 400 and 422, and of a refused key or account.
 */
function refusal(reply: UpstreamReply, cause: string, log: SourceTools["log"]): Refusal {
  const { status } = reply;
  if ([400, 401, 402, 422].includes(status)) log({ event: "provider", source: "hikerapi", cause });
  if ([400, 403, 404, 422].includes(status)) return notFound(cause);
  if ([402, 430].includes(status)) return sourceRefused(cause);
  return unexpectedStatus(reply);
}
