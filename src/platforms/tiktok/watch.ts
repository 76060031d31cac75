import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaMetadata } from "../../contract/schemas.ts";
import {
  type Media,
  metadataOf,
  type Post,
  type Source,
  type SourceTools,
} from "../../search/resolver.ts";
import {
  type Answer,
  notFound,
  type Refusal,
  refused,
  sourceRefused,
} from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { readJson, textOf } from "../../upstream/json.ts";
import { objectNamed } from "../../upstream/json-part.ts";
import { type Script, ScriptsById } from "../../upstream/scripts.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";
import { addressesSchema, isChallenge, readSlideshow } from "./media.ts";

const HOST = "www.tiktok.com";

const DETAIL = "webapp.video-detail";

/** Ids of the script that has the post, today and in pages from before 2024. */
const [DATA, LEGACY] = ["__UNIVERSAL_DATA_FOR_REHYDRATION__", "SIGI_STATE"];

const text = z.catch(z.nullish(z.string()), null);
const flag = z.catch(z.nullish(z.boolean()), null);

const itemSchema = z.object({
  id: z.string(),
  desc: text,
  isContentClassified: flag,
  privateItem: flag,
  author: z.catch(z.nullish(z.object({ uniqueId: text, privateAccount: flag })), null),
  music: z.catch(z.nullish(z.object({ playUrl: addressesSchema })), null),
  video: z.nullish(z.object({ playAddr: text, bitrateInfo: z.nullish(z.array(z.unknown())) })),
  imagePost: z.nullish(
    z.object({ title: text, images: z.nullish(z.array(z.object({ imageURL: addressesSchema }))) }),
  ),
});
export type WatchItem = z.infer<typeof itemSchema>;

const detailSchema = z.object({
  statusCode: z.nullish(z.number()),
  statusMsg: text,
  itemInfo: z.nullish(z.object({ itemStruct: z.nullish(itemSchema) })),
});

/** The page for small screens has the item in one of three places (FxEmbed, 2026-08). */
const reflowSchema = z.extend(detailSchema, {
  videoDetail: z.nullish(detailSchema),
  itemStruct: z.nullish(itemSchema),
});

const scopeSchema = z.object({
  __DEFAULT_SCOPE__: z.object({
    [DETAIL]: z.nullish(reflowSchema),
    "webapp.reflow.video.detail": z.nullish(reflowSchema),
  }),
});

const legacySchema = z.object({ ItemModule: z.record(z.string(), itemSchema) });

/**
 * The platform returns it for deleted posts, blocked addresses and closed regions (yt-dlp #16605).
 */
const AMBIGUOUS_STATUS = 10_204;

/**
 * The page on which people watch the post. Its video URLs work only for the visit that got them
 * (observed 2026-10), so we never return them. The page gives the images of image posts, and the
 * reason if a post is missing.
 */
export const watch: Source = { name: "watch", find };

/**
 * The form `/video/` has the item, for image posts too (cobalt, 2026-04). Reads the page up to the end
 * of its data. A page with only the legacy script is read to its end, since the data may follow.
 */
async function find(post: Post, { upstream }: SourceTools): Promise<Answer<Media>> {
  const scripts = new ScriptsById(DATA, LEGACY);
  const reply = await upstream({
    url: `https://${HOST}/@${post.owner ?? "_"}/video/${post.id}`,
    hosts: [HOST],
    maxBytes: 3_000_000,
    isNavigation: true,
    isWhole: (piece) => scripts.take(piece, DATA),
  });
  if (!reply.ok) return reply;
  if (isLogin(reply.value)) return sourceRefused("redirect to the log-in");
  if (reply.value.status === 404) return notFound("status 404");
  if (reply.value.status !== 200) return unexpectedStatus(reply.value);
  return mediaOf(itemIn(scripts, reply.value.body, post.id), post);
}

function isLogin({ url }: UpstreamReply): boolean {
  return /^\/login(?:\/|$)/.test(url.pathname);
}

/** Reads a watch page as the post's media. Ignores another post's page. */
export function parseWatch(html: string, post: Post): Answer<Media> {
  return mediaOf(readWatchItem(html, post.id), post);
}

function mediaOf(read: Answer<WatchItem>, post: Post): Answer<Media> {
  if (!read.ok) return read;
  const item = read.value;
  if (item.id !== post.id) return drifted("another post's page", "itemStruct.id", textOf(item));
  if (isPrivate(item)) return notFound("the post or its account is private");
  const images = item.imagePost?.images ?? [];
  if (images.length === 0) return withoutImages(item);
  const addresses = images.map(({ imageURL }) => imageURL);
  const shown = readSlideshow(addresses, item.music?.playUrl ?? []);
  return shown.ok ? success({ items: shown.value, metadata: metadataIn(item) }) : shown;
}

function isPrivate({ privateItem, author }: WatchItem): boolean {
  return privateItem === true || author?.privateAccount === true;
}

function metadataIn({ imagePost, author, desc }: WatchItem): MediaMetadata {
  return metadataOf({ title: imagePost?.title, author: author?.uniqueId, caption: desc });
}

function withoutImages(item: WatchItem): Refusal {
  const { imagePost, video, isContentClassified } = item;
  if (imagePost && !imagePost.images) {
    return drifted("an image post without images", "imagePost.images", textOf(item));
  }
  const hasVideo = (video?.playAddr ?? "") !== "" || (video?.bitrateInfo ?? []).length > 0;
  if (hasVideo) return refused("video bound to a visit");
  if (isContentClassified === true) return notFound("shown to adults with account");
  return drifted("item: no video and no images", "itemStruct.video", textOf(item));
}

/** The page's item, whichever post it is, or why there is none. */
export function readWatchItem(html: string, id: string): Answer<WatchItem> {
  const scripts = new ScriptsById(DATA, LEGACY);
  scripts.take(html);
  return itemIn(scripts, html, id);
}

function itemIn(scripts: ScriptsById, html: string, id: string): Answer<WatchItem> {
  const data = scripts.script(DATA);
  if (data === null) return legacyItem(scripts, html, id);
  const own = partialItem(data, id);
  if (own !== null) return success(own);
  const script = data.text();
  const scope = readJson(script, scopeSchema);
  if (!scope.ok) return scope;
  const details = scope.value.__DEFAULT_SCOPE__;
  const detail = details[DETAIL] ?? details["webapp.reflow.video.detail"];
  if (detail === null || detail === undefined) {
    return drifted("no detail of a post in the page", DETAIL, script);
  }
  const item = itemOf(detail);
  return item === null || (detail.statusCode ?? 0) !== 0 ? absence(detail, script) : success(item);
}

/**
 * The post's item, if all is well with it. The detail is 10 KB to 40 KB of up to 400 KB, most of which
 * are texts of the site's own (recordings up to 2025), so the rest is parsed only to say what is wrong.
 */
function partialItem(data: Script, id: string): WatchItem | null {
  const text = data.isBraced() ? data.textFrom(`"${DETAIL}"`) : null;
  const part = text === null ? null : objectNamed(text, DETAIL);
  const detail = part === null ? null : readJson(part, reflowSchema);
  if (detail?.ok !== true || (detail.value.statusCode ?? 0) !== 0) return null;
  const item = itemOf(detail.value);
  return item?.id === id ? item : null;
}

function itemOf({ itemInfo, videoDetail, itemStruct }: z.infer<typeof reflowSchema>) {
  return itemInfo?.itemStruct ?? videoDetail?.itemInfo?.itemStruct ?? itemStruct ?? null;
}

/**
 * The code says that something failed. The message, which may be "ok", counts only without an item.
 * The player's endpoint has already told deleted posts, so the ambiguous code means a refusal here.
 */
function absence({ statusCode, statusMsg }: z.infer<typeof detailSchema>, script: string): Refusal {
  const cause = `status ${statusCode}: ${statusMsg?.slice(0, 80) ?? ""}`;
  if (statusCode === AMBIGUOUS_STATUS) return refused(cause);
  const isGone = /deleted|exist|private/i.test(statusMsg ?? "");
  if ((statusCode ?? 0) !== 0 || isGone) return notFound(cause);
  return drifted("no item in the page", "itemStruct", script);
}

/** Pages from before 2024, and some pages of today. */
function legacyItem(scripts: ScriptsById, html: string, id: string): Answer<WatchItem> {
  const script = scripts.script(LEGACY)?.text() ?? null;
  if (script === null) {
    if (isChallenge(html)) return sourceRefused("challenge page");
    return drifted("no data in the page", DATA, html);
  }
  const state = readJson(script, legacySchema);
  if (!state.ok) return state;
  const item = state.value.ItemModule[id];
  return item === undefined ? drifted("another post's page", "ItemModule", script) : success(item);
}
