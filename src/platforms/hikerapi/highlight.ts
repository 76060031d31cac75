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
import { mediumSchema, pksOf, publicFiles, reportExpired, text, userSchema } from "./item.ts";
import type { HikerapiSettings } from "./settings.ts";

/** A highlight by its number. `/v1/highlight/by/id` no longer exists (recordings of 2026-04). */
export function hikerapiHighlight(settings: HikerapiSettings): Source {
  const query = ({ id }: Post) => ({ id });
  return hikerapi(settings, { path: "/v2/highlight/by/id", query, read: readHighlight });
}

const idSchema = mediumSchema.shape.id;

/** `media_ids` beside these are not read: they are numbers beyond 2^53. */
const reelSchema = z.object({
  id: idSchema,
  pk: idSchema,
  title: text,
  user: z.nullish(userSchema),
  media_count: amount,
  items: z.array(mediumSchema),
});
type Reel = z.infer<typeof reelSchema>;

const reelsSchema = z.object({ reels: z.record(z.string(), reelSchema) });
const bareSchema = z.union([
  z.pipe(
    z.object({ reels_media: z.array(reelSchema).check(z.minLength(1)) }),
    z.transform(({ reels_media: list }) => {
      return { reels: Object.fromEntries(list.map((reel) => [keyOf(reel), reel])) };
    }),
  ),
  z.pipe(
    reelsSchema,
    z.transform(({ reels }) => ({ reels })),
  ),
  z.pipe(
    reelSchema,
    z.transform((reel) => ({ reels: { "": reel } })),
  ),
  z.pipe(
    z.object({ reel: z.null() }),
    z.transform(() => ({ reels: {} })),
  ),
]);

/**
 * The reels in a list or by their ids, or a single reel instead, with or without a wrapper (insta-dl, 2026-08).
 */
const payloadSchema = z.union([
  z.pipe(
    z.object({ response: bareSchema }),
    z.transform(({ response }) => response),
  ),
  bareSchema,
]);

/** The key under which the map of reels would have a reel; empty for a reel without ids. */
function keyOf(reel: Reel): string {
  const [pk] = pksOf(reel);
  return pk === undefined ? "" : `highlight:${pk.replace(/^highlight:/, "")}`;
}

/** Reads a highlight with all items of the reply. Ignores another highlight's reply. */
export function readHighlight(
  payload: unknown,
  post: Post,
  { now, log }: Pick<SourceTools, "now" | "log">,
): Answer<Media> {
  const read = readShape(payload, payloadSchema);
  if (!read.ok) return read;
  const all: readonly (readonly [string, Reel])[] = Object.entries(read.value.reels);
  const [key, reel] = all.find(([name]) => name === `highlight:${post.id}`) ?? all[0] ?? [];
  if (key === undefined || reel === undefined) return notFound("no such highlight");
  if (!isHighlight(reel, key, post.id))
    return drifted("another highlight's reply", "reels", textOf(payload));
  return mediaOf(reel, post, { now, log });
}

/**
 * Compares a reel's own ids and the id that lists it. A reel without ids is taken for the requested
 * one.
 */
function isHighlight(reel: Reel, key: string, id: string): boolean {
  const ids = [...pksOf(reel), ...(key === "" ? [] : [key])];
  return ids.every((own) => own.replace(/^highlight:/, "") === id);
}

function mediaOf(
  reel: Reel,
  post: Post,
  { now, log }: Pick<SourceTools, "now" | "log">,
): Answer<Media> {
  if (reel.user?.is_private === true) return notFound("private");
  const { media_count, title } = reel;
  if (reel.items.length === 0 && media_count > 0) {
    return drifted(`0 of ${media_count} items`, "items", textOf(reel));
  }
  const files = publicFiles(reel.items);
  if (!files.ok) return files;
  reportExpired(files.value, { now, log });
  const items = files.value.length;
  if (items < media_count) {
    log({ event: "partial", source: "hikerapi", highlight: post.id, items, media_count });
  }
  const metadata = metadataOf({ title, author: authorOf(reel) });
  return success({ items: files.value, metadata });
}

/** The items' own users have no names here; the reel's user has one (recordings of 2026-04). */
function authorOf({ user, items }: Reel): string | undefined {
  const names = [user, ...items.map((item) => item.user)].map((named) => named?.username);
  return names.find((name) => name) ?? undefined;
}
