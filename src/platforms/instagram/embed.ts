import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import {
  type Media,
  metadataOf,
  type Post,
  type Source,
  type SourceTools,
} from "../../search/resolver.ts";
import { type Answer, refused } from "../../upstream/answer.ts";
import { drifted, textFrom } from "../../upstream/drift.ts";
import { parseJson, readShape } from "../../upstream/json.ts";
import { ScriptReader } from "../../upstream/scripts.ts";
import { type EmbedMarkup, readEmbedMarkup } from "./embed-markup.ts";
import { readShortcodeMedia } from "./graphql.ts";
import { refusalOf } from "./refusal.ts";
import { bareCode } from "./shortcode.ts";

const HOST = "www.instagram.com";

/** The page that other sites embed for a single post. Its path is always below `/p/` (2026-10). */
export const embed: Source = { name: "embed", find };

/** Reads the page up to the end of the script with its JSON, if that holds the media. */
async function find(post: Post, { upstream }: SourceTools): Promise<Answer<Media>> {
  const context = new ContextSearch();
  const reply = await upstream({
    url: `https://${HOST}/p/${post.id}/embed/captioned/`,
    hosts: [HOST],
    maxBytes: 1_000_000,
    maxRedirects: 0,
    isNavigation: true,
    headers: { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" },
    isWhole: (piece) => context.take(piece) !== null,
  });
  if (!reply.ok) return reply;
  const { media } = context;
  if (reply.value.status === 200 && media !== null) return readShortcodeMedia(media, post.id);
  return refusalOf(reply.value) ?? parseEmbed(reply.value.body, post);
}

/** Looks for the media in the JSON of a page that comes in pieces. Only the first JSON counts. */
class ContextSearch {
  readonly #scripts = new ScriptReader(() => true);
  #isOver = false;
  media: unknown = null;

  take(piece: string): unknown {
    for (const script of this.#scripts.take(piece)) {
      if (this.#isOver || !script.mentions(CONTEXT)) continue;
      this.#isOver = true;
      this.media = mediaIn(script.text());
    }
    return this.media;
  }
}

const contextSchema = z.object({
  gql_data: z.nullish(
    z.partial(z.object({ shortcode_media: z.unknown(), xdt_shortcode_media: z.unknown() })),
  ),
});

/**
 * Reads an embed page as the post's media. Videos and carousels come from the JSON in the page.
 * Otherwise the markup shows a single photo, or only the first of several.
 */
export async function parseEmbed(html: string, post: Post): Promise<Answer<Media>> {
  const media = mediaIn(html);
  if (media !== null) return readShortcodeMedia(media, post.id);
  const page = await readEmbedMarkup(html);
  return page.ok ? mediaShown(page.value, post, html) : page;
}

function mediaShown(page: EmbedMarkup, post: Post, html: string): Answer<Media> {
  const { image, video } = page;
  if (page.isBroken) return refused("removed, or not to be embedded");
  if (image === null && video === null) return refused("page without media");
  if (page.code !== post.id && page.code !== bareCode(post.id)) {
    return drifted("page of no or another post", "code", html);
  }
  if (page.type === "carousel") {
    return drifted("no more than a carousel's first medium", "gql_data", textFrom(html, CONTEXT));
  }
  const items = itemsIn(page);
  if (items.length === 0 && page.type === "unknown") {
    return drifted("a medium of a new kind", "data-media-type", textFrom(html, "data-media-type"));
  }
  if (items.length === 0) return refused("a video that is not to be embedded");
  const { author, caption } = page;
  return success({ items, metadata: metadataOf({ author, caption }) });
}

/** Empty for a video, or a new kind of medium, whose page shows only the poster, not the file. */
function itemsIn({ image, video, isKept, type }: EmbedMarkup): readonly MediaItem[] {
  if (video !== null) return [{ type: "video", url: video }];
  const isPoster = isKept || type === "video" || type === "unknown";
  return isPoster || image === null ? [] : [{ type: "image", url: image }];
}

const CONTEXT = '"contextJSON":';

/** Null if the page's JSON does not hold the media. */
function mediaIn(html: string): unknown {
  const context = readShape(contextOf(html), contextSchema);
  const data = context.ok ? context.value.gql_data : null;
  return data?.shortcode_media ?? data?.xdt_shortcode_media ?? null;
}

/** The page's JSON holds this JSON as a string. */
function contextOf(html: string): unknown {
  const at = html.indexOf(CONTEXT);
  if (at === -1) return undefined;
  const rest = html.slice(at + CONTEXT.length).trimStart();
  const inner = rest.startsWith('"') ? parseJson(rest.slice(0, endOfString(rest, 0))) : undefined;
  return typeof inner === "string" ? parseJson(inner) : undefined;
}

/** The position after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
