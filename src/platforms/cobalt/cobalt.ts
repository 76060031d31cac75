import { type Media, type Post, type Source, unset } from "../../search/resolver.ts";
import { type Answer, notApplicable } from "../../upstream/answer.ts";
import { AGENT_PATIENCE } from "../../upstream/patience.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";
import { parseCobalt } from "./reply.ts";
import type { CobaltSettings } from "./settings.ts";

/** The instance refuses a longer request body (cobalt's documentation, 2026-04). */
const REQUEST_BYTES_MAX = 1024;
const BODY_BYTES_MAX = 256_000;
const OWN_STATUSES: readonly number[] = [200, 400];

/**
 * Our own instance of cobalt, for every service whose platform it knows. It has no stories without
 * an account's cookies, no highlights and no messenger channels (its documentation, 2026-04). It
 * returns media only: no author, no caption, no id of the post. If it must pass a file on itself,
 * it returns a tunnel of its own, which is valid for 90 seconds.
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
  // The tunnels lie on the instance itself.
  return { name, find, mediaOrigins: [origin], patience: AGENT_PATIENCE };
}

/** Other statuses come from a proxy in front of the instance, without an answer of cobalt's. */
function readReply(reply: UpstreamReply): Answer<Media> {
  const read = parseCobalt(reply.body);
  const isUnread = !read.ok && read.failure.kind === "drifted";
  return isUnread && !OWN_STATUSES.includes(reply.status) ? unexpectedStatus(reply) : read;
}

/**
 * Cobalt refuses a field that its schema does not know. GIF-like loops stay MP4. The query is left
 * out: it identifies nothing and may be long.
 */
function bodyFor({ url: { host, pathname } }: Post): string {
  return JSON.stringify({
    url: `https://${host}${pathname}`,
    videoQuality: "max",
    convertGif: false,
    localProcessing: "disabled",
  });
}
