import * as z from "zod/mini";
import type { Media, Post, Source, SourceTools } from "../../search/resolver.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { readJson, textOf } from "../../upstream/json.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";
import { checkDrafts } from "./draft-check.ts";
import { failureOf, statusSchema } from "./failure.ts";
import { type PinDraft, readPin } from "./pin.ts";
import type { PinterestSettings } from "./settings.ts";

const HOST = "www.pinterest.com";

/**
 * The endpoint behind the platform's own pin page. Since 2025-03 it requires the name of that
 * page's handler in a header (yt-dlp #12538), but no log-in.
 */
export function resource(settings: PinterestSettings): Source {
  return { name: "resource", find: (post, tools) => find(settings, post, tools) };
}

async function find(
  settings: PinterestSettings,
  post: Post,
  tools: SourceTools,
): Promise<Answer<Media>> {
  const options = { id: post.id, field_set_key: settings.PINBOARD_FIELD_SET };
  const query = new URLSearchParams({
    source_url: `/pin/${post.id}/`,
    data: JSON.stringify({ options, context: {} }),
  });
  const reply = await tools.upstream({
    url: `https://${HOST}/resource/PinResource/get/?${query}`,
    hosts: [HOST],
    maxBytes: 2_000_000,
    maxRedirects: 0,
    headers: {
      accept: "application/json, text/javascript, */*; q=0.01",
      "x-requested-with": "XMLHttpRequest",
      "x-pinterest-pws-handler": settings.PINBOARD_HANDLER,
    },
  });
  if (!reply.ok) return reply;
  return checkDrafts(readReply(reply.value, post), tools);
}

/** A refused header and a refused IP address have the same status but different messages. */
function readReply(reply: UpstreamReply, post: Post): Answer<PinDraft> {
  if (reply.status === 200) return parsePinResource(reply.body, post);
  if (reply.status === 404) return notFound("no such pin");
  const envelope = readJson(reply.body, replySchema);
  const told = envelope.ok ? failureOf(envelope.value.resource_response, reply.body) : null;
  return told ?? unexpectedStatus(reply);
}

const replySchema = z.object({
  resource_response: z.extend(statusSchema, { data: z.optional(z.unknown()) }),
});

const identitySchema = z.object({ id: z.string() });

/** Reads a reply's body. Ignores another pin's reply. */
export function parsePinResource(body: string, post: Post): Answer<PinDraft> {
  const reply = readJson(body, replySchema);
  if (!reply.ok) return reply;
  const { data, ...status } = reply.value.resource_response;
  const failure = failureOf(status, body);
  if (failure !== null) return failure;
  const pin = identitySchema.safeParse(data);
  if (!pin.success) return drifted("no pin in the reply", "resource_response.data", body);
  if (pin.data.id !== post.id)
    return drifted("another pin's reply", "resource_response.data.id", textOf(data));
  return readPin(data);
}
