import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import type { SourceTools } from "../../search/resolver.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";

const VIDEO = 2;

const idSchema = z.nullish(z.union([z.string(), z.number()]));

export const userSchema = z.object({
  username: z.nullish(z.string()),
  is_private: z.nullish(z.boolean()),
});

const renditionSchema = z.object({
  url: z.string(),
  width: z.nullish(z.number()),
  height: z.nullish(z.number()),
});

/**
 * One medium: a story, a child of an album, or a post with one medium. Either as the provider
 * flattens it or as the platform's own apps get it (recordings of 2026-04; insta-dl, 2026-08).
 */
export const mediumSchema = z.object({
  pk: idSchema,
  id: idSchema,
  media_type: z.nullish(z.number()),
  video_url: z.nullish(z.string()),
  video_versions: z.nullish(z.array(renditionSchema)),
  thumbnail_url: z.nullish(z.string()),
  image_versions2: z.nullish(z.object({ candidates: z.nullish(z.array(renditionSchema)) })),
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

/** The best file of a medium. Never the poster of a video. Null if there is no file. */
export function fileOf(medium: Medium): MediaItem | null {
  const isVideo = medium.media_type === VIDEO || Boolean(medium.video_url);
  const url = isVideo
    ? medium.video_url || best(medium.video_versions)
    : medium.thumbnail_url || best(medium.image_versions2?.candidates);
  return url ? { type: isVideo ? "video" : "image", url } : null;
}

function best(renditions: readonly z.infer<typeof renditionSchema>[] | null | undefined) {
  const area = ({ width, height }: z.infer<typeof renditionSchema>) => (width ?? 0) * (height ?? 0);
  return renditions?.toSorted((a, b) => area(b) - area(a))[0]?.url;
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
  const expiry = URL.parse(address)?.searchParams.get("oe") ?? "";
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

/** The media that are public and have a file. There is no other reason to leave one out. */
export function publicFiles(media: readonly Medium[]): Answer<readonly MediaItem[]> {
  const reasons: string[] = [];
  const files = media.flatMap((medium) => {
    const file = fileOf(medium);
    const reason = reasonAgainst(medium, file);
    if (reason !== null) reasons.push(reason);
    return reason === null && file !== null ? [file] : [];
  });
  if (files.length > 0) return success(files);
  return notFound([...new Set(reasons)].join(", ") || "no items");
}

function reasonAgainst({ user }: Medium, file: MediaItem | null): string | null {
  if (user?.is_private === true) return "private";
  return file === null ? "no file" : null;
}
