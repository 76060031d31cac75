import { success } from "../../contract/result.ts";
import {
  type Media,
  metadataOf,
  type Post,
  type Source,
  type SourceTools,
} from "../../search/resolver.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted, textFrom } from "../../upstream/drift.ts";
import { decodeEntities } from "../../upstream/entities.ts";
import { readJson } from "../../upstream/json.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";
import { filesOf, type MediaFound, readMedia } from "./media.ts";
import {
  cardTypeSchema,
  replySchema,
  type SyndicatedPost,
  unifiedCardSchema,
} from "./syndication-reply.ts";

const HOST = "cdn.syndication.twimg.com";

/**
 * The endpoint behind the platform's embedded posts. It requires a token computed from the id, and
 * no log-in (shape as in react-tweet's types, 2026-06, and in recorded replies up to 2026-08).
 */
export const syndication: Source = { name: "syndication", find };

/**
 * The token for an id: the id as an inexact double, times pi, in base 36, without zeros and the
 * point. The same in react-tweet, yt-dlp and cobalt (2026-08), checked against known pairs.
 */
export function syndicationToken(id: string): string {
  return ((Number(id) / 1e15) * Math.PI).toString(36).replace(/0+|\./g, "");
}

/** Asks twice for a missing post: throttled addresses get the same 404 (react-tweet #151). */
async function find(post: Post, { upstream }: SourceTools): Promise<Answer<Media>> {
  const query = new URLSearchParams({ id: post.id, lang: "en", token: syndicationToken(post.id) });
  const request = {
    url: `https://${HOST}/tweet-result?${query}`,
    hosts: [HOST],
    maxBytes: 1_000_000,
    headers: { accept: "application/json" },
  };
  const first = await upstream(request);
  const reply = first.ok && isMissing(first.value) ? await upstream(request) : first;
  if (!reply.ok) return reply;
  if (isMissing(reply.value)) return notFound("no such post");
  if (reply.value.status !== 200) return unexpectedStatus(reply.value);
  return parseSyndication(reply.value.body, post);
}

function isMissing({ status, body }: UpstreamReply): boolean {
  return status === 404 || (status === 200 && isBlank(body));
}

/** Nothing, or an empty object. */
function isBlank(body: string): boolean {
  const text = body.trim();
  return text === "" || (text.startsWith("{") && text.endsWith("}") && !text.slice(1, -1).trim());
}

/** Reads a reply's body as the post's media. Refuses another post's reply. */
export function parseSyndication(body: string, post: Post): Answer<Media> {
  if (isBlank(body)) return notFound("no such post");
  const reply = readJson(body, replySchema);
  if (!reply.ok) return reply;
  const found = reply.value;
  if (found.__typename === "TweetTombstone") {
    return notFound(`tombstone: ${found.tombstone?.text?.text ?? "no text"}`);
  }
  if (found.id_str !== post.id)
    return drifted("another post's reply", "id_str", textFrom(body, '"id_str"'));
  const items = mediaOf(found);
  if (items === "lost") {
    return drifted("media without its files", "mediaDetails", textFrom(body, '"id_str"'));
  }
  if (items === "none" || items.length === 0)
    return notFound("the post has no media that is available");
  const metadata = metadataOf({ author: found.user?.screen_name, caption: captionOf(found) });
  return success({ items, metadata });
}

/** The post's own media, else its card's, else the quoted post's. */
function mediaOf(post: SyndicatedPost): MediaFound {
  const own = readMedia(post);
  if (own !== "none") return own;
  const card = cardMedia(post.card?.binding_values?.unified_card?.string_value ?? "");
  return card === "none" ? readMedia(post.quoted_tweet ?? {}) : card;
}

/** Other kinds of cards show content of other sites. */
function cardMedia(json: string): MediaFound {
  if (!readJson(json, cardTypeSchema).ok) return "none";
  const card = readJson(json, unifiedCardSchema);
  if (!card.ok) return "lost";
  const medium = card.value.media_entities[card.value.component_objects.media_1.data.id];
  return (medium === undefined ? null : filesOf([medium])) ?? "lost";
}

/** The visible range counts code points. In old posts it includes the link to the media. */
function captionOf({ text, display_text_range: range, entities }: SyndicatedPost): string {
  const visible = decodeEntities(sliceCodePoints(text ?? "", range ?? [0, Number.MAX_VALUE]));
  const mediaLinks = new Set((entities?.media ?? []).map(({ url }) => url));
  const targets = new Map((entities?.urls ?? []).map((link) => [link.url, link.expanded_url]));
  return withoutLastLink(visible, mediaLinks).replace(
    /https?:\/\/t\.co\/\w+/g,
    (link) => targets.get(link) ?? link,
  );
}

/** The text without a link to the post's media at its end. */
function withoutLastLink(text: string, mediaLinks: ReadonlySet<string>): string {
  const end = text.trimEnd();
  const at = Math.max(end.lastIndexOf("https://t.co/"), end.lastIndexOf("http://t.co/"));
  return at !== -1 && mediaLinks.has(end.slice(at)) ? end.slice(0, at).trimEnd() : text;
}

/** From one code point up to another; a code point beyond U+FFFF is two characters. */
function sliceCodePoints(text: string, [first, end]: readonly [number, number]): string {
  const start = skipCodePoints(text, first, 0);
  return text.slice(start, skipCodePoints(text, end - first, start));
}

/** Where `count` code points from `from` on have ended. */
function skipCodePoints(text: string, count: number, from: number): number {
  let at = from;
  for (let skipped = 0; skipped < count && at < text.length; skipped++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}
