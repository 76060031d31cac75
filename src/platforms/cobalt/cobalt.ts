import { type Media, type Post, type Source, unset } from "../../search/resolver.ts";
import { type Answer, notApplicable } from "../../upstream/answer.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";
import { parseCobalt } from "./reply.ts";
import type { CobaltSettings } from "./settings.ts";

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
export function cobalt({ COBALT_URL, COBALT_API_KEY }: CobaltSettings): Source {
  const name = "cobalt";
  if (COBALT_URL === null) return unset(name, "COBALT_URL");
  const { origin } = new URL(COBALT_URL);
  const request = {
    url: `${COBALT_URL}/`,
    hosts: [],
    operatorOrigin: origin,
    maxBytes: BODY_BYTES_MAX,
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      ...(COBALT_API_KEY !== null && { authorization: `Api-Key ${COBALT_API_KEY}` }),
    },
  } as const;
  const find: Source["find"] = async (post, { upstream }) => {
    const body = bodyFor(post);
    if (new TextEncoder().encode(body).length > REQUEST_BYTES_MAX) {
      return notApplicable("the address is too long for the instance");
    }
    const reply = await upstream({ ...request, body });
    return reply.ok ? readReply(reply.value) : reply;
  };
  // The tunnels' addresses are the instance's.
  return { name, find, mediaOrigins: [origin] };
}

/** A proxy in front of the instance has other statuses, and no answer of cobalt's. */
function readReply(reply: UpstreamReply): Answer<Media> {
  const read = parseCobalt(reply.body);
  const isUnread = !read.ok && read.failure.kind === "drifted";
  return isUnread && !OWN_STATUSES.includes(reply.status) ? unexpectedStatus(reply) : read;
}

/**
 * Its schema is strict: a field that it does not know is refused. GIF-like loops stay MP4. Without
 * the query, which identifies nothing but may be long.
 */
function bodyFor({ url: { host, pathname } }: Post): string {
  return JSON.stringify({
    url: `https://${host}${pathname}`,
    videoQuality: "max",
    convertGif: false,
    localProcessing: "disabled",
  });
}
