import { failed, type Result } from "../../contract/result.ts";
import type { Media, Post, Source, SourceTools } from "../../search/resolver.ts";
import { unexpectedStatus } from "../../upstream/upstream.ts";
import { mediaOf } from "./message.ts";
import { findMessage, messagesIn, noticeOf } from "./page.ts";

/** The page that sites embed for a single message; it answers 200 whatever it finds (2025-11). */
export const telegramEmbed: Source = { name: "embed", find };

/** Without `single` in the query, so that one address serves an album and each item of it. */
async function find(post: Post, { upstream }: SourceTools): Promise<Result<Media>> {
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

/** Reads an embed page as the post's media; another message's page is never taken for it. */
export async function parseTelegramEmbed(html: string, post: Post): Promise<Result<Media>> {
  const found = await findMessage(html, post);
  if (!found.ok) return found;
  if (found.value !== null) return mediaOf(found.value, post);
  const notice = await noticeOf(html);
  if (notice !== "") return failed("MEDIA_NOT_FOUND", notice);
  const isEmpty = messagesIn(html, post) === "none";
  const cause = isEmpty ? "no message in the page" : "another message's page";
  return failed("UPSTREAM_INVALID_RESPONSE", cause);
}
