import * as z from "zod/mini";
import type { Media } from "../../search/resolver.ts";
import { readItem } from "./item.ts";

const CAROUSEL = 8;

/** Copies of a post leave some of these out; its item has them all (FxEmbed and yt-dlp, 2026-08). */
const wholeSchema = z.object({
  media_type: z.number(),
  user: z.object({ username: z.string() }),
  caption: z.nullable(z.object({ text: z.string() })),
  carousel_media: z.nullish(z.array(z.unknown())),
  carousel_media_count: z.nullish(z.number()),
});

/**
 * The media of an item that has all that an answer shows, so that no other copy of the post has more.
 * Null for any other item.
 */
export function wholeMedia(item: object): Media | null {
  const whole = wholeSchema.safeParse(item);
  if (!whole.success) return null;
  const { media_type, carousel_media, carousel_media_count } = whole.data;
  const children = carousel_media?.length ?? 0;
  if (children !== (media_type === CAROUSEL ? carousel_media_count : 0)) return null;
  const read = readItem(item);
  return read.ok ? read.value : null;
}
