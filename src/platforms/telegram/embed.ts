import type { Media, Post, Source, SourceTools } from "../../search/resolver.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted, textFrom } from "../../upstream/drift.ts";
import { unexpectedStatus } from "../../upstream/upstream.ts";
import { mediaOf } from "./message.ts";
import { findMessage, messagesIn, NAME, noticeOf } from "./page.ts";

/** The page that sites embed for a single message. Its status is always 200 (2025-11). */
export const embed: Source = { name: "embed", find };

/** Leaves `single` out of the query, so that one URL serves an album and each of its items. */
async function find(post: Post, { upstream }: SourceTools): Promise<Answer<Media>> {
  const reply = await upstream({
    url: `https://t.me/${post.owner}/${post.id}?embed=1&mode=tme`,
    hosts: ["t.me"],
    maxBytes: 1_000_000,
    headers: { "accept-language": "en" },
  });
  if (!reply.ok) return reply;
  if (reply.value.status !== 200) return unexpectedStatus(reply.value);
  return parseTelegramEmbed(reply.value.body, post);
}

/** Reads an embed page as the post's media. Ignores another message's page. */
export async function parseTelegramEmbed(html: string, post: Post): Promise<Answer<Media>> {
  const found = await findMessage(html, post);
  if (!found.ok) return found;
  if (found.value !== null) return mediaOf(found.value, post, html);
  const notice = await noticeOf(html);
  if (notice !== "") return notFound(notice);
  const isEmpty = messagesIn(html, post) === "none";
  const cause = isEmpty ? "no message in the page" : "another message's page";
  return drifted(cause, "data-post", textFrom(html, NAME));
}
