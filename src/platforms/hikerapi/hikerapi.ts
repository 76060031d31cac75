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
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";
import type { HikerapiSettings } from "./settings.ts";

/**
 * One of the provider's endpoints (documentation of 2025-02 and 2026-08). All are GET. Its option
 * `force`, which skips the check whether an account is private, is never sent.
 */
export interface HikerEndpoint {
  /** Such as `/v1/story/by/id`. */
  readonly path: string;
  readonly query: (post: Post) => Readonly<Record<string, string>>;
  /** Reads a payload that is no error. Integers beyond 2^53 are strings of their digits in it. */
  readonly read: (payload: unknown, post: Post, tools: SourceTools) => Answer<Media>;
}

/** About 100 stories of 7 KB each, and as much again. */
const BODY_BYTES_MAX = 1_500_000;

/** A contracted provider that sees what a logged-out visitor does not, of public accounts only. */
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
  return { name, find };
}

/** Either key in a reply, of whatever status, says that it is an error (insta-dl, 2026-08). */
const errorSchema = z.object({
  exc_type: z.catch(z.nullish(z.string()), ""),
  detail: z.optional(z.unknown()),
});

/** The provider's exceptions for what is not to be had: named after instagrapi's (2026-08). */
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

/** The error's type, empty where it names none; null for a payload that is no error. */
function errorIn(payload: unknown): string | null {
  const { exc_type = null, detail = null } = errorSchema.safeParse(payload).data ?? {};
  if (exc_type === null && detail === null) return null;
  return /^\w{1,60}$/.exec(exc_type ?? "")?.[0] ?? "";
}

/**
 * What its statuses mean (hiker-doc, 2025-02): 403 is a private account, 410 an endpoint that is no
 * more, 400 and 422 an id that it does not take although it is well formed. The last and a key or
 * an account that is refused are an operator's business.
 */
function refusal(reply: UpstreamReply, cause: string, log: SourceTools["log"]): Refusal {
  const { status } = reply;
  if ([400, 401, 402, 422].includes(status)) log({ event: "provider", source: "hikerapi", cause });
  if ([400, 403, 404, 422].includes(status)) return notFound(cause);
  if ([402, 430].includes(status)) return sourceRefused(cause);
  return unexpectedStatus(reply);
}
