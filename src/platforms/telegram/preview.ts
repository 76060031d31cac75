import type { Media, Post, Source, SourceTools } from "../../search/resolver.ts";
import { type Answer, notApplicable, notFound } from "../../upstream/answer.ts";
import { drifted, textFrom } from "../../upstream/drift.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";
import { mediaOf } from "./message.ts";
import { findMessage, messagesIn, NAME, noticeOf } from "./page.ts";

/**
 * The channel's public preview, opened at the message. It shows about 20 messages on one page
 * (2026-08).
 */
export const preview: Source = { name: "preview", find };

async function find(post: Post, { upstream }: SourceTools): Promise<Answer<Media>> {
  const reply = await upstream({
    url: `https://t.me/s/${post.owner}/${post.id}`,
    hosts: ["t.me"],
    maxBytes: 2_000_000,
    maxRedirects: 0,
    headers: { "accept-language": "en" },
  });
  if (!reply.ok) return reply;
  if (isDisabled(reply.value)) return notApplicable("the channel has no preview");
  if (reply.value.status !== 200) return unexpectedStatus(reply.value);
  return parseTelegramPreview(reply.value.body, post);
}

/**
 * A channel without a preview redirects to its own page (RSSHub #6853). That says nothing about the
 * post.
 */
function isDisabled({ status, headers, url }: UpstreamReply): boolean {
  const target = URL.parse(headers.get("location") ?? "", url.href);
  return status >= 300 && status < 400 && target?.hostname === url.hostname;
}

/**
 * Reads the message in a preview page. If the page is of its channel but lacks the message, the
 * post is not there.
 */
export async function parseTelegramPreview(html: string, post: Post): Promise<Answer<Media>> {
  const found = await findMessage(html, post);
  if (!found.ok) return found;
  if (found.value !== null) return mediaOf(found.value, post, html);
  const notice = await noticeOf(html);
  if (notice !== "" || messagesIn(html, post) === "own") {
    return notFound(notice || "not among the channel's messages");
  }
  return drifted("no message of the channel in the page", "data-post", textFrom(html, NAME));
}
