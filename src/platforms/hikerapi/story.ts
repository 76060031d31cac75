import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import {
  type Media,
  metadataOf,
  type Post,
  type Source,
  type SourceTools,
} from "../../search/resolver.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { readShape, textOf } from "../../upstream/json.ts";
import { amount } from "../../upstream/renditions.ts";
import { hikerapi } from "./hikerapi.ts";
import { mediumSchema, pksOf, publicFiles, reportExpired, userSchema } from "./item.ts";
import type { HikerapiSettings } from "./settings.ts";

/** One story by its number (recordings of its siblings, 2026-04). */
export function hikerapiStory(settings: HikerapiSettings): Source {
  const query = ({ id }: Post) => ({ id });
  return hikerapi(settings, { path: "/v1/story/by/id", query, read: readStory });
}

const storySchema = mediumSchema.check(
  z.refine((story) => pksOf(story).length > 0, { error: "has no exact id", path: ["pk"] }),
);
const traySchema = z.object({
  user: z.nullish(userSchema),
  media_count: amount,
  items: z.array(mediumSchema),
});
const EMPTY = { items: [], isTray: true } as const;

const stories = z.array(mediumSchema).check(z.minLength(1));

/**
 * The story itself, or its user's active stories. They come bare, in a reel, or instead of the
 * reel. The reel is null if there are no stories (insta-dl, 2026-08), so stories beside it count
 * first.
 */
const bareSchema = z.union([
  z.pipe(
    z.extend(traySchema, { items: stories }),
    z.transform((tray) => ({ ...tray, isTray: true })),
  ),
  z.pipe(
    z.array(mediumSchema),
    z.transform((items) => ({ items, isTray: true })),
  ),
  z.pipe(
    z.object({ reel: z.nullable(traySchema) }),
    z.transform(({ reel }) => (reel === null ? EMPTY : { ...reel, isTray: true })),
  ),
  z.pipe(
    traySchema,
    z.transform((tray) => ({ ...tray, isTray: true })),
  ),
  z.pipe(
    storySchema,
    z.transform((story) => ({ items: [story], isTray: false })),
  ),
]);

/** `/v2/` wraps what `/v1/` answers. */
const payloadSchema = z.union([
  z.pipe(
    z.object({ response: bareSchema }),
    z.transform(({ response }) => response),
  ),
  bareSchema,
]);

/**
 * Reads the one story that was asked for, whatever else came. Ignores another story's reply,
 * but not one whose owner has another name by now.
 */
export function readStory(
  payload: unknown,
  post: Post,
  { now, log }: Pick<SourceTools, "now" | "log">,
): Answer<Media> {
  const read = readShape(payload, payloadSchema);
  if (!read.ok) return read;
  const { items, isTray, ...reel } = { user: null, media_count: 0, ...read.value };
  const story = items.find((item) => isStory(item, post.id));
  if (story === undefined) {
    const isGone = isTray && isWhole(items, reel.media_count);
    if (isGone) return notFound("not among the active stories");
    return drifted("another story's reply", "pk", textOf(payload));
  }
  if (reel.user?.is_private === true) return notFound("private");
  const files = publicFiles([story]);
  if (!files.ok) return files;
  reportExpired(files.value, { now, log });
  const name = story.user?.username || reel.user?.username || null;
  if (!isOwner(name, post)) log({ event: "owner_mismatch", source: "hikerapi", story: post.id });
  const metadata = metadataOf({ author: name ?? post.owner });
  return success({ items: files.value, metadata });
}

/** Whether a list tells which stories there are: it has some if any are counted, and all have ids. */
function isWhole(items: readonly z.infer<typeof mediumSchema>[], count: number): boolean {
  return (items.length > 0 || count === 0) && items.every(({ pk, id }) => Boolean(pk ?? id));
}

/** Whether a name is that of the owner in the URL. True if the name is unknown. */
function isOwner(name: string | null, { owner }: Post): boolean {
  return name === null || name.toLowerCase() === owner?.toLowerCase();
}

/** Compares all ids of the story. */
function isStory(item: z.infer<typeof mediumSchema>, id: string): boolean {
  const pks = pksOf(item);
  return pks.length > 0 && pks.every((pk) => pk === id);
}
