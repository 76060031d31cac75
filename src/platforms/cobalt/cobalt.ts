import type { Config } from "../../config/config.ts";
import { failed, type Result } from "../../contract/result.ts";
import type { Media, Post, Source, SourceTools } from "../../search/resolver.ts";
import { unexpectedStatus } from "../../upstream/upstream.ts";
import { parseCobalt } from "./reply.ts";

/** A request body beyond this is refused (cobalt's documentation, 2026-04). */
const REQUEST_BYTES_MAX = 1024;
const BODY_BYTES_MAX = 256_000;
const OWN_STATUSES: readonly number[] = [200, 400];

/**
 * An own instance of cobalt, for every service whose platform it knows: not stories without an
 * account's cookies, not highlights, not messenger channels (its documentation, 2026-04). It gives
 * media only, no author or caption, and says nothing of the post's id. What it must pass on itself
 * is a tunnel of its own, good for 90 seconds.
 */
export const cobalt: Source = { name: "cobalt", requires: "COBALT_URL", find, mediaOrigins };

/** The tunnels' addresses are the instance's. */
function mediaOrigins({ COBALT_URL }: Config): readonly string[] {
  return COBALT_URL === null ? [] : [new URL(COBALT_URL).origin];
}

async function find(post: Post, { upstream, settings }: SourceTools): Promise<Result<Media>> {
  const { COBALT_URL, COBALT_API_KEY } = settings;
  const body = requestFor(post);
  if (new TextEncoder().encode(body).length > REQUEST_BYTES_MAX) {
    return failed("UPSTREAM_ERROR", "the address is too long for the instance");
  }
  const reply = await upstream({
    url: `${(COBALT_URL ?? "").replace(/\/+$/, "")}/`,
    hosts: [],
    ...(COBALT_URL !== null && { operatorOrigin: new URL(COBALT_URL).origin }),
    maxBytes: BODY_BYTES_MAX,
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      ...(COBALT_API_KEY !== null && { authorization: `Api-Key ${COBALT_API_KEY}` }),
    },
    body,
  });
  if (!reply.ok) return reply;
  const read = parseCobalt(reply.value.body);
  return isUnread(read) && !OWN_STATUSES.includes(reply.value.status)
    ? unexpectedStatus(reply.value)
    : read;
}

/** A proxy in front of the instance has other statuses, and no answer of cobalt's. */
function isUnread(read: Result<Media>): boolean {
  return !read.ok && read.failure.code === "UPSTREAM_INVALID_RESPONSE";
}

/**
 * Its schema is strict: a field that it does not know is refused. GIF-like loops stay MP4. Without
 * the query, which identifies nothing but may be long.
 */
function requestFor({ url: { host, pathname } }: Post): string {
  return JSON.stringify({
    url: `https://${host}${pathname}`,
    videoQuality: "max",
    convertGif: false,
    localProcessing: "disabled",
  });
}
