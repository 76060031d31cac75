import type { Media, Post, Source, SourceTools } from "../../search/resolver.ts";
import {
  type Answer,
  notFound,
  type Refusal,
  refused,
  sourceRefused,
} from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import type { UpstreamReply } from "../../upstream/upstream.ts";
import { ItemSearch } from "./page-blocks.ts";
import { refusalOf } from "./refusal.ts";
import { bareCode } from "./shortcode.ts";

const HOST = "www.instagram.com";

/** The post's own page, as a browser without an account sees it (yt-dlp and FxEmbed, 2026-08). */
export const permalink: Source = { name: "permalink", find };

/** Both forms of the path serve any post. One may redirect to the other. */
async function find(post: Post, tools: SourceTools): Promise<Answer<Media>> {
  const form = /\/reels?\/[^/]+\/?$/.test(post.url.pathname) ? "reel" : "p";
  const first = await ask(`/${form}/${post.id}/`, post, tools);
  const moved = first.reply.ok ? otherForm(first.reply.value, post) : null;
  const { reply, items } = moved === null ? first : await ask(moved, post, tools);
  if (!reply.ok) return reply;
  const { status, body } = reply.value;
  const item = items.end();
  // A page with the item is no refusal. Looking for one takes the whole page as one text.
  if (status === 200 && item?.ok === true) return items.mediaOf(item.value);
  return refusalOf(reply.value) ?? readEnd(items, item, body);
}

/**
 * Follows no redirect before looking at it: the log-in is on the same host. Reads the page until its
 * answer is certain.
 */
async function ask(path: string, { id }: Post, { upstream }: SourceTools) {
  const items = new ItemSearch(id);
  const reply = await upstream({
    url: `https://${HOST}${path}`,
    hosts: [HOST],
    maxBytes: 3_000_000,
    maxRedirects: 0,
    isNavigation: true,
    isWhole: (piece) => items.take(piece),
  });
  return { reply, items };
}

function otherForm({ headers, url }: UpstreamReply, { id }: Post): string | null {
  const location = headers.get("location");
  const target = location === null ? null : URL.parse(location, url.href);
  if (target?.hostname !== HOST) return null;
  const code = /^\/(?:[\w.]+\/)?(?:p|reels?|tv)\/([\w-]+)\/?$/.exec(target.pathname)?.[1];
  return code === id || code === bareCode(id) ? target.pathname : null;
}

/** Reads a page as the post's media. Ignores other posts on the page. */
export function parsePermalink(html: string, post: Post): Answer<Media> {
  const items = new ItemSearch(post.id);
  items.take(html);
  return readEnd(items, items.end(), html);
}

/** What a page means that was read to its end, or to a certain answer. */
function readEnd(items: ItemSearch, item: Answer<unknown> | null, html: string): Answer<Media> {
  if (item?.ok === true) return items.mediaOf(item.value);
  return item?.failure.kind === "notFound" ? item : (absence(html) ?? item ?? emptiness(html));
}

/** Why the page has no post, by its route or by the title of its error page. */
function absence(html: string): Refusal | null {
  if (/"tracePolicy":\s*"polaris\.privatePostPage"/.test(html)) {
    return notFound("the account is private");
  }
  // A post's title has its caption, which may say the same.
  const isErrorTitle = /^<title[^>]*>\s*page not found/i.test(titleOf(html));
  const isError = /"pageID":\s*"httpErrorPage"/.test(html) || isErrorTitle;
  return isError ? notFound("the platform's page for what is not there") : null;
}

/** What a page means that has neither the post's media nor a reason. */
function emptiness(html: string): Refusal {
  const at = html.indexOf('"xig_polaris_media"');
  if (at !== -1) return drifted("another post's page", "xig_polaris_media", html.slice(at));
  if (!/<html|<script|<body/i.test(html)) {
    return drifted("no page", "body", html);
  }
  const isLogin = html.includes('id="loginForm"');
  const isChallenge = /challenge|checkpoint|captcha/i.test(titleOf(html));
  if (isLogin) return sourceRefused("log-in page");
  // Throttled addresses get a page without media (yt-dlp, 2026-08), and so do some posts.
  return isChallenge ? sourceRefused("challenge page") : refused("page without media");
}

function titleOf(html: string): string {
  const at = html.indexOf("<title");
  return at === -1 ? "" : (html.slice(at, at + 300).split("</title")[0] ?? "");
}
