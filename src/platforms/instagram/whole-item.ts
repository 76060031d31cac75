import * as z from "zod/mini";
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

/** Whether an item has all that an answer shows, so that no other copy of the post has more. */
export function isWholeItem(item: object): boolean {
  const read = wholeSchema.safeParse(item);
  if (!read.success || !readItem(item).ok) return false;
  const { media_type, carousel_media, carousel_media_count } = read.data;
  const children = carousel_media?.length ?? 0;
  return media_type === CAROUSEL ? children === carousel_media_count : children === 0;
}
