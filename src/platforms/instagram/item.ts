import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import { type Media, metadataOf } from "../../search/resolver.ts";
import { parseAddress } from "../../upstream/addresses.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { readShape, textOf } from "../../upstream/json.ts";
import { amount, compareAmounts, isPlain } from "../../upstream/renditions.ts";
import { bareCode, pkOfCode } from "./shortcode.ts";

const PHOTO = 1;
const VIDEO = 2;
const CAROUSEL = 8;
const VIDEO_PRODUCTS = /^(?:clips|igtv)$/;

const sizeSchema = z.object({ width: amount, height: amount });
type Size = z.infer<typeof sizeSchema>;

const text = z.catch(z.nullish(z.string()), null);

/** The last three only tell which kind of medium it is, where the type is missing. */
const mediumSchema = z.object({
  media_type: amount,
  image_versions2: z.nullish(
    z.object({
      candidates: z.nullish(z.array(z.extend(sizeSchema, { url: z.string() }))),
    }),
  ),
  video_versions: z.nullish(z.array(z.extend(sizeSchema, { url: z.string(), type: amount }))),
  product_type: text,
  video_duration: amount,
  video_dash_manifest: text,
});
type Medium = z.infer<typeof mediumSchema>;

const userSchema = z.object({ username: text, is_private: z.nullish(z.boolean()) });

const itemSchema = z.extend(mediumSchema, {
  user: z.nullish(userSchema),
  title: text,
  caption: z.catch(z.nullish(z.object({ text })), null),
  carousel_media: z.nullish(z.array(mediumSchema)),
  carousel_media_count: amount,
});

/**
 * Reads a media item in the form that the permalink page's JSON, the private API and the providers'
 * `/v2/` replies share (recordings of 2020 to 2025, yt-dlp and FxEmbed 2026-08). A carousel gives
 * its children in order, each with its own type. A video without a URL is a failure; its poster is
 * never returned. A carousel that lacks children is a failure too. {@link isPost} checks whose item
 * it is.
 */
export function readItem(item: unknown): Answer<Media> {
  const read = readShape(item, itemSchema);
  if (!read.ok) return read;
  const { user, title, caption, carousel_media_count } = read.value;
  if (user?.is_private === true) return notFound("the account is private");
  const all = mediaOf(read.value);
  const media = all.filter((medium) => kindOf(medium) !== "unknown");
  const items = media.flatMap(toItem);
  const count = Math.max(1, media.length, carousel_media_count - (all.length - media.length));
  if (items.length < count) {
    const cause = `incomplete item: ${items.length} of ${count} media`;
    const field = media.length < count ? "carousel_media" : "video_versions";
    return drifted(cause, field, textOf(item));
  }
  const metadata = metadataOf({ title, author: user?.username, caption: caption?.text });
  return success({ items, metadata });
}

/** A carousel's own image is only its cover. */
function mediaOf(item: z.infer<typeof itemSchema>): readonly Medium[] {
  const children = item.carousel_media ?? [];
  const isCarousel = item.media_type === CAROUSEL || item.product_type === "carousel_container";
  return isCarousel || children.length > 0 ? children : [item];
}

/**
 * Without a type, a medium is a video if anything says so: its image may be only the poster. Of a
 * new type, only a video with files is known.
 */
function kindOf(medium: Medium): "photo" | "video" | "unknown" {
  const { media_type, product_type, video_duration, video_dash_manifest } = medium;
  if (media_type === PHOTO) return "photo";
  if (media_type === VIDEO || (medium.video_versions ?? []).some(hasAddress)) return "video";
  if (media_type !== 0) return "unknown";
  const isFilm = VIDEO_PRODUCTS.test(product_type ?? "") || Boolean(video_dash_manifest);
  return isFilm || video_duration > 0 ? "video" : "photo";
}

/**
 * Whether an item is the post with this code. Compares the code or, without a code, the number. A
 * number beyond 2^53 that came as a JSON number is not exact, so the prefix of `id` replaces it.
 */
export function isPost(item: unknown, code: string): boolean {
  return isPostWith(item, { code, bare: bareCode(code), pk: pkOfCode(code) });
}

/** What a post may be named by. */
export interface PostNames {
  readonly code: string;
  /** The code without the suffix of the long form. */
  readonly bare: string;
  readonly pk: string;
}

/** As {@link isPost}, for a caller that asks about thousands of items. */
export function isPostWith(item: unknown, { code, bare, pk }: PostNames): boolean {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return false;
  const own = "code" in item ? (item.code ?? "") : "";
  return own === "" ? pkOf(item) === pk : own === code || own === bare;
}

/** The item's exact number, or null. `id` is `<pk>` or `<pk>_<user's pk>`. */
function pkOf(item: object): string | null {
  const pk = "pk" in item ? exactNumber(item.pk) : null;
  return pk ?? ("id" in item ? exactNumber(item.id) : null);
}

function exactNumber(value: unknown): string | null {
  if (typeof value === "string" && value !== "") return value.split("_", 1)[0] ?? null;
  return Number.isSafeInteger(value) ? String(value) : null;
}

/** Empty for a medium without a URL. */
function toItem(medium: Medium): readonly MediaItem[] {
  const videos = (medium.video_versions ?? []).filter(hasAddress);
  const isVideo = kindOf(medium) === "video";
  const url = isVideo ? bestVideo(videos) : bestPhoto(medium);
  return url === undefined ? [] : [{ type: isVideo ? "video" : "image", url }];
}

function bestVideo(videos: NonNullable<Medium["video_versions"]>): string | undefined {
  const rank = (video: (typeof videos)[number]) => {
    return [isPlain(video.url) ? 1 : 0, area(video), video.type];
  };
  return videos.toSorted((a, b) => compareAmounts(rank(b), rank(a)))[0]?.url;
}

function bestPhoto({ image_versions2 }: Medium): string | undefined {
  const photos = (image_versions2?.candidates ?? []).filter(hasAddress);
  return photos.toSorted((a, b) => area(b) - area(a))[0]?.url;
}

/** Sizes may be missing, and lists often name a file several times. */
function area({ width, height }: Size): number {
  return width * height;
}

function hasAddress({ url }: { url: string }): boolean {
  return parseAddress(url)?.protocol === "https:";
}
