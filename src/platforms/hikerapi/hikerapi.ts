import * as z from "zod/mini";
import { failed, type Result, success } from "../../contract/result.ts";
import type { Media, Post, Source, SourceTools } from "../../search/resolver.ts";
import { drifted } from "../../upstream/drift.ts";
import { parseExactJson } from "../../upstream/exact-json.ts";
import { parseJson } from "../../upstream/json.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";

/**
 * One of the provider's endpoints (documentation of 2025-02 and 2026-08). All are GET. Its option
 * `force`, which skips the check whether an account is private, is never sent.
 */
export interface HikerEndpoint {
  /** Such as `/v1/story/by/id`. */
  readonly path: string;
  readonly query: (post: Post) => Readonly<Record<string, string>>;
  /** Reads a payload that is no error. Integers beyond 2^53 are strings of their digits in it. */
  readonly read: (payload: unknown, post: Post, tools: SourceTools) => Result<Media>;
}

/** About 100 stories of 7 KB each, and as much again. */
const BODY_BYTES_MAX = 1_500_000;

/** A contracted provider that sees what a logged-out visitor does not, of public accounts only. */
export function hikerapi(endpoint: HikerEndpoint): Source {
  return {
    name: "hikerapi",
    requires: "HIKERAPI_KEY",
    find: (post, tools) => find(endpoint, post, tools),
  };
}

async function find(
  { path, query, read }: HikerEndpoint,
  post: Post,
  tools: SourceTools,
): Promise<Result<Media>> {
  const { HIKERAPI_URL, HIKERAPI_KEY } = tools.settings;
  const { origin } = new URL(HIKERAPI_URL);
  const reply = await tools.upstream({
    url: `${HIKERAPI_URL.replace(/\/+$/, "")}${path}?${new URLSearchParams(query(post))}`,
    hosts: [],
    operatorOrigin: origin,
    maxBytes: BODY_BYTES_MAX,
    headers: { accept: "application/json", "x-access-key": HIKERAPI_KEY ?? "" },
  });
  if (!reply.ok) return reply;
  const payload = readReply(reply.value, tools);
  return payload.ok ? read(payload.value, post, tools) : payload;
}

/** Either key in a reply, of whatever status, says that it is an error (insta-dl, 2026-08). */
const errorSchema = z.object({
  exc_type: z.catch(z.nullish(z.string()), ""),
  detail: z.optional(z.unknown()),
});

/** The provider's exceptions for what is not to be had: named after instagrapi's (2026-08). */
const NOT_THERE = /NotFound|Unavailable|Private/;

function readReply(reply: UpstreamReply, { log }: SourceTools): Result<unknown> {
  const payload = parseJson(reply.body, parseExactJson);
  const { exc_type = null, detail = null } = errorSchema.safeParse(payload).data ?? {};
  const type = /^\w{1,60}$/.exec(exc_type ?? "")?.[0] ?? "";
  if (reply.status !== 200) return refusal(reply, `status ${reply.status} ${type}`.trim(), log);
  if (payload === undefined) return drifted("not JSON", "body", reply.body);
  if (exc_type === null && detail === null) return success(payload);
  const code = NOT_THERE.test(type) ? "MEDIA_NOT_FOUND" : "UPSTREAM_REJECTED";
  return failed(code, `error in a 200: ${type || "unnamed"}`);
}

/**
 * What its statuses mean (hiker-doc, 2025-02): 403 is a private account, 410 an endpoint that is no
 * more, 400 and 422 an id that it does not take although it is well formed. The last and a key or
 * an account that is refused are an operator's business.
 */
function refusal(reply: UpstreamReply, cause: string, log: SourceTools["log"]): Result<never> {
  const { status } = reply;
  if ([400, 401, 402, 422].includes(status)) log({ event: "provider", source: "hikerapi", cause });
  if ([400, 403, 404, 422].includes(status)) return failed("MEDIA_NOT_FOUND", cause);
  if ([402, 430].includes(status)) return failed("UPSTREAM_REJECTED", cause);
  return unexpectedStatus(reply);
}
