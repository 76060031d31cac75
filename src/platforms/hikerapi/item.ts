import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import type { SourceTools } from "../../search/resolver.ts";
import { parseAddress } from "../../upstream/addresses.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { textOf } from "../../upstream/json.ts";
import { amount, compareAmounts, isPlain } from "../../upstream/renditions.ts";

const PHOTO = 1;
const VIDEO = 2;
const VIDEO_PRODUCTS = /^(?:clips|igtv)$/;

const idSchema = z.nullish(z.union([z.string(), z.number()]));

/** Metadata in another form is left out. It must not cost the media. */
export const text = z.catch(z.nullish(z.string()), null);

export const userSchema = z.object({
  username: text,
  is_private: z.nullish(z.boolean()),
});

const renditionSchema = z.object({
  url: z.string(),
  width: amount,
  height: amount,
});
type Rendition = z.infer<typeof renditionSchema>;

/**
 * One medium: a story, a child of an album, or a post with one medium. Either as the provider
 * flattens it or as the platform's own apps get it (recordings of 2026-04; insta-dl, 2026-08).
 */
export const mediumSchema = z.object({
  pk: idSchema,
  id: idSchema,
  media_type: amount,
  video_url: z.nullish(z.string()),
  video_versions: z.nullish(z.array(renditionSchema)),
  thumbnail_url: z.nullish(z.string()),
  image_versions2: z.nullish(z.object({ candidates: z.nullish(z.array(renditionSchema)) })),
  // These only tell which kind of medium it is, where the type is missing.
  product_type: text,
  video_duration: amount,
  user: z.nullish(userSchema),
});
export type Medium = z.infer<typeof mediumSchema>;

/** The exact ones among an item's ids: `pk`, and the beginning of `<pk>_<user's pk>`. */
export function pksOf({ pk, id }: Pick<Medium, "pk" | "id">): readonly string[] {
  return [pk, id].flatMap((value) => {
    if (typeof value === "string" && value !== "") return value.split("_", 1);
    return typeof value === "number" && Number.isSafeInteger(value) ? String(value) : [];
  });
}

/**
 * The best file of a medium. Never the poster of a video, nor of a new kind of medium. Null if there
 * is no file.
 */
export function fileOf(medium: Medium): MediaItem | null {
  const kind = kindOf(medium);
  if (kind === "unknown") return null;
  const isVideo = kind === "video";
  const url = isVideo
    ? best(medium.video_url, medium.video_versions)
    : medium.thumbnail_url || best(null, medium.image_versions2?.candidates);
  return url ? { type: isVideo ? "video" : "image", url } : null;
}

/** Whether a medium is of a kind that we know. Of a new kind, only a video with files is known. */
export function isKnown(medium: Medium): boolean {
  return kindOf(medium) !== "unknown";
}

/** Without a type, a medium is a video if anything says so. */
function kindOf(medium: Medium): "photo" | "video" | "unknown" {
  const { media_type, product_type, video_duration } = medium;
  if (media_type === VIDEO || medium.video_url) return "video";
  if (media_type === PHOTO) return "photo";
  if (best(null, medium.video_versions)) return "video";
  if (media_type !== 0) return "unknown";
  return VIDEO_PRODUCTS.test(product_type ?? "") || video_duration > 0 ? "video" : "photo";
}

/** Whether a medium is there although its file is not: at least its image is. */
function isShown({ thumbnail_url, image_versions2 }: Medium): boolean {
  return Boolean(thumbnail_url) || (image_versions2?.candidates ?? []).length > 0;
}

/** The file that the provider names, unless it is HEVC and another is not; else the largest. */
function best(
  named: string | null | undefined,
  renditions: readonly Rendition[] | null | undefined,
) {
  const rank = ({ url, width, height }: Rendition) => [isPlain(url) ? 1 : 0, width * height];
  const own = named ? [{ url: named, width: Number.MAX_VALUE, height: 1 }] : [];
  const files = [...own, ...(renditions ?? [])].filter(({ url }) => url !== "");
  return files.toSorted((a, b) => compareAmounts(rank(b), rank(a)))[0]?.url;
}

/**
 * Plausible expiry times, in seconds since 1970: 2017 to 2103. Any other number means something
 * else.
 */
const EXPIRY_SECONDS = { min: 1.5e9, max: 4.2e9 } as const;

/**
 * Whether a signed URL has expired. `oe` is a time in hexadecimal seconds (a public worker,
 * 2026-10).
 */
function hasExpired(address: string, nowMs: number): boolean {
  const expiry = parseAddress(address)?.searchParams.get("oe") ?? "";
  if (!/^[0-9a-f]{8}$/i.test(expiry)) return false;
  const seconds = Number.parseInt(expiry, 16);
  const { min, max } = EXPIRY_SECONDS;
  return seconds >= min && seconds <= max && seconds * 1000 <= nowMs;
}

/**
 * Logs how many files had already expired when the provider named them: its cache or a clock is
 * behind. The files are returned all the same, because only their host knows whether they are
 * there.
 */
export function reportExpired(
  files: readonly MediaItem[],
  { now, log }: Pick<SourceTools, "now" | "log">,
): void {
  const expired = files.filter(({ url }) => hasExpired(url, now())).length;
  if (expired === 0) return;
  log({ event: "expired_media", source: "hikerapi", expired, items: files.length });
}

/**
 * The media that are public and have a file. There is no other reason to leave one out. Drift if
 * there is no file, although a public medium shows its image.
 */
export function publicFiles(media: readonly Medium[]): Answer<readonly MediaItem[]> {
  const open = media.filter(({ user }) => user?.is_private !== true);
  const files = open.flatMap((medium) => fileOf(medium) ?? []);
  if (files.length > 0) return success(files);
  const shown = open.find(isShown);
  if (shown !== undefined) return drifted("media without their files", "video_url", textOf(shown));
  const reasons = [open.length < media.length && "private", open.length > 0 && "no file"];
  return notFound(reasons.filter(Boolean).join(", ") || "no items");
}
