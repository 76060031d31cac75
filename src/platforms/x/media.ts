import type * as z from "zod/mini";
import type { MediaItem } from "../../contract/schemas.ts";
import { ADDRESS_CHARACTERS_MAX, parseAddress } from "../../upstream/addresses.ts";
import { compareAmounts, isPlain } from "../../upstream/renditions.ts";
import { type Medium, photosSchema, type ShownMedia, videoSchema } from "./syndication-reply.ts";

/**
 * A post's media. "lost" if the reply shows that there is some, but not where its files are: the
 * platform has moved them. "none" if nothing in the reply shows any.
 */
export type MediaFound = readonly MediaItem[] | "lost" | "none";

/** Reads the list that has everything, else the reply's other spelling of the same media. */
export function readMedia(post: ShownMedia): MediaFound {
  const details = post.mediaDetails ?? [];
  const own = filesOf(details);
  // The other spelling of photos does not say that they are withheld.
  if (hasItems(own) || details.some(isWithheld)) return own ?? "lost";
  const others = inOtherSpelling(post);
  const files = others === null ? null : filesOf(others);
  if (hasItems(files)) return files;
  if (own === null || files === null) return "lost";
  return details.length > 0 || hasValue(post.video) ? [] : linkedMedia(post);
}

/** A post without media has no links to any. */
function linkedMedia({ entities }: ShownMedia): MediaFound {
  return (entities?.media ?? []).length > 0 ? "lost" : "none";
}

function hasItems(items: readonly MediaItem[] | null): items is readonly MediaItem[] {
  return items !== null && items.length > 0;
}

/**
 * The media as `photos` and `video` show it. Null if they cannot be read, or if there are both:
 * nothing says in which order, or whether there are more videos.
 */
function inOtherSpelling({ photos, video }: ShownMedia): readonly Medium[] | null {
  const images = read(photosSchema, photos ?? []);
  const film = read(videoSchema, video);
  if (images === null || (film === null && hasValue(video))) return null;
  if (film === null) return images;
  return images.length > 0 ? null : [film];
}

function read<T>(schema: z.ZodMiniType<T>, value: unknown): T | null {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : null;
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** Null if a medium has lost its file. */
export function filesOf(media: readonly Medium[]): readonly MediaItem[] | null {
  const files = media.map(fileOf);
  return files.includes(null) ? null : files.flatMap((items) => items ?? []);
}

/** Empty for a withheld medium, and for one that exists only as a live stream or playlist. */
function fileOf(medium: Medium): readonly MediaItem[] | null {
  if (isWithheld(medium)) return [];
  if (medium.type === "photo") return originalPhoto(medium.media_url_https ?? "");
  const variants = medium.video_info?.variants;
  if (variants === undefined) return isFilm(medium) ? null : [];
  // GIF-like loops have one MP4 with bit rate 0. Variants of other types are playlists.
  const [best] = variants
    .filter(({ content_type }) => /^video\/mp4\b/i.test(content_type))
    .toSorted((a, b) => compareAmounts(rank(b), rank(a)));
  return best === undefined ? [] : [{ type: "video", url: best.url }];
}

function isWithheld({ ext_media_availability: availability }: Medium): boolean {
  return (availability?.status ?? "Available").toLowerCase() !== "available";
}

function isFilm({ type }: Medium): boolean {
  return type === "video" || type === "animated_gif";
}

type Variant = NonNullable<Medium["video_info"]>["variants"][number];

/** HEVC variants may have the higher bit rate (FxEmbed, 2026). The path has a variant's size. */
function rank({ url, content_type, bitrate }: Variant): readonly number[] {
  const path = url.slice(0, ADDRESS_CHARACTERS_MAX);
  const [, width = "0", height = "0"] = /\/(\d{1,5})x(\d{1,5})\//.exec(path) ?? [];
  return [isPlain(url, content_type) ? 1 : 0, bitrate, Number(width) * Number(height)];
}

/** Paths of the frames that stand for videos, and of accounts' pictures (recordings up to 2026-08). */
const NO_PHOTO = /_video_thumb\/|^\/profile_/;

/**
 * `name=orig` asks for the uploaded size instead of the 1200 pixels of the bare URL. The extension
 * stays in the path, so the URL still names the file. The platform's own form moves it into
 * `format=`; both forms work (react-tweet and cobalt, 2026-06).
 */
function originalPhoto(address: string): readonly MediaItem[] | null {
  const url = parseAddress(address);
  if (url === null || NO_PHOTO.test(url.pathname)) return null;
  url.search = "?name=orig";
  return [{ type: "image", url: url.href }];
}
