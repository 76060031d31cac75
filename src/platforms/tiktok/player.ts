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
import {
  type Answer,
  inconclusive,
  notFound,
  type Refusal,
  type SourceFailure,
  sourceFailed,
} from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { readJson } from "../../upstream/json.ts";
import { amount } from "../../upstream/renditions.ts";
import { unexpectedStatus } from "../../upstream/upstream.ts";
import { addressesSchema, readSlideshow } from "./media.ts";
import type { TiktokSettings } from "./settings.ts";
import { bestVideo, videoSchema } from "./video.ts";
import { watch } from "./watch.ts";

const HOST = "www.tiktok.com";

/** Failures that may not happen to a second request. */
const BUSY: readonly SourceFailure["kind"][] = ["sourceFailed", "inconclusive"];

/** The type of image posts (consumers of the endpoint, 2026-10). */
const IMAGE_POST = 150;

const text = z.catch(z.nullish(z.string()), null);

const itemSchema = z.object({
  id_str: z.string(),
  aweme_type: amount,
  desc: text,
  author_info: z.catch(z.nullish(z.object({ unique_id: text })), null),
  music_info: z.catch(z.nullish(z.object({ play_url: addressesSchema })), null),
  video_info: z.nullish(videoSchema),
  image_post_info: z.nullish(
    z.object({
      title: text,
      images: z.nullish(z.array(z.object({ display_image: addressesSchema }))),
    }),
  ),
});
type Item = z.infer<typeof itemSchema>;

const replySchema = z.object({
  status_code: amount,
  items: z.nullish(z.array(itemSchema)),
  results: z.nullish(z.array(z.object({ id_str: text, code: text }))),
});

/** The endpoint behind the platform's own embedded player. It needs no cookie (2026-10). */
export function player(settings: TiktokSettings): Source {
  const query = new URLSearchParams(settings.SHORT_VIDEO_PLAYER_QUERY).toString();
  return { name: "player", find: (post, tools) => find(query, post, tools) };
}

/**
 * Asks a busy endpoint once more. If it gives no sound for images, takes the sound of their page.
 */
async function find(query: string, post: Post, tools: SourceTools): Promise<Answer<Media>> {
  const first = await ask(query, post, tools);
  const found = isBusy(first) ? await ask(query, post, tools) : first;
  if (!found.ok || found.value.items.some(({ type }) => type !== "image")) return found;
  const page = await watch.find(post, tools);
  const sound = page.ok ? page.value.items.filter(({ type }) => type === "audio") : [];
  return success({ ...found.value, items: [...found.value.items, ...sound] });
}

function isBusy(answer: Answer<Media>): boolean {
  return !answer.ok && BUSY.includes(answer.failure.kind);
}

async function ask(query: string, post: Post, tools: SourceTools): Promise<Answer<Media>> {
  const reply = await tools.upstream({
    url: `https://${HOST}/player/api/v1/items?item_ids=${post.id}&${query}`,
    hosts: [HOST],
    maxBytes: 1_000_000,
    headers: {
      accept: "application/json, text/plain, */*",
      referer: `https://${HOST}/player/v1/${post.id}`,
      // Numbers beyond 2^53 come as strings.
      "agw-js-conv": "str",
    },
  });
  if (!reply.ok) return reply;
  const { status, body } = reply.value;
  const read = status < 500 ? parsePlayer(body, post) : unexpectedStatus(reply.value);
  const isTold = status === 200 || (!read.ok && read.failure.kind === "notFound");
  return isTold ? read : unexpectedStatus(reply.value);
}

/** Reads a reply's body as the post's media. Ignores another post's item. */
export function parsePlayer(body: string, post: Post): Answer<Media> {
  const reply = readJson(body, replySchema);
  if (!reply.ok) return reply;
  const status = reply.value.status_code;
  if (status === 5) return notFound("status_code 5: no such id");
  if (status !== 0) return inconclusive(`status_code ${status}`);
  const items = reply.value.items ?? [];
  if (items.length === 0) return missing(codeFor(post, reply.value), body);
  const item = items.find(({ id_str }) => id_str === post.id);
  if (item === undefined) return drifted("another post's reply", "items.id_str", body);
  return mediaOf(item, body);
}

function codeFor({ id }: Post, { results }: z.infer<typeof replySchema>): string {
  return results?.find(({ id_str }) => (id_str ?? id) === id)?.code ?? "";
}

/** What the code in place of an item means (consumers of the endpoint, 2026-10). */
function missing(code: string, body: string): Refusal {
  const cause = `no item: ${code.slice(0, 40) || "no code"}`;
  if (code === "nil_core_data" || code.includes("not_exist")) {
    return notFound(cause);
  }
  if (code === "api_busy") return sourceFailed(cause);
  return drifted(cause, "results.code", body);
}

function mediaOf(item: Item, body: string): Answer<Media> {
  const shown = itemsOf(item, body);
  if (!shown.ok) return shown;
  const { desc, author_info, image_post_info } = item;
  const author = author_info?.unique_id;
  const metadata = metadataOf({ title: image_post_info?.title, author, caption: desc });
  return success({ items: shown.value, metadata });
}

function itemsOf(item: Item, body: string): Answer<readonly MediaItem[]> {
  const images = item.image_post_info?.images ?? [];
  if (images.length > 0) {
    const addresses = images.map(({ display_image }) => display_image);
    return readSlideshow(addresses, item.music_info?.play_url ?? []);
  }
  if (isImagePost(item)) return drifted("an image post without images", "image_post_info", body);
  const url = bestVideo(item.video_info);
  if (url === undefined) return drifted("item: no address that plays", "video_info", body);
  return success([{ type: "video", url }]);
}

/** Whether the item shows images that it does not list. Its video would be only their sound. */
function isImagePost({ aweme_type, image_post_info: post }: Item): boolean {
  const isLost = (post ?? null) !== null && (post?.images ?? null) === null;
  return aweme_type === IMAGE_POST || isLost;
}
