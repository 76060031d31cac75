import * as z from "zod/mini";
import { failed, type Result, success } from "../../contract/result.ts";
import type { Media, Post, SourceTools } from "../../search/resolver.ts";
import { drifted } from "../../upstream/drift.ts";
import { readShape } from "../../upstream/json.ts";
import { isPost, readItem } from "../instagram/item.ts";
import { bareCode } from "../instagram/shortcode.ts";
import { hikerapi } from "./hikerapi.ts";
import { fileOf, mediumSchema, reportExpired } from "./item.ts";

/** A post by its code (recordings of 2025-11). */
export const hikerapiPost = hikerapi({
  path: "/v1/media/by/code",
  query: ({ id }) => ({ code: bareCode(id) }),
  read: readPost,
});

const CAROUSEL = 8;

/** The flat form: an album's children are its resources. */
const flatSchema = z.extend(mediumSchema, {
  title: z.nullish(z.string()),
  caption_text: z.nullish(z.string()),
  resources: z.nullish(z.array(mediumSchema)),
});

/** `/v2/` endpoints wrap the item in one of these (insta-dl, 2026-08), or list it (recording). */
const wrappedSchema = z.union([
  z.pipe(
    z.object({ items: z.array(z.unknown()).check(z.minLength(1)) }),
    z.transform(({ items }) => items[0]),
  ),
  z.pipe(
    z.object({ media_or_ad: z.looseObject({}) }),
    z.transform(({ media_or_ad }) => media_or_ad),
  ),
  z.pipe(
    z.object({ media: z.looseObject({}) }),
    z.transform(({ media }) => media),
  ),
]);
const responseSchema = z.object({ response: z.looseObject({}) });

/** The platform's own form has neither of these. */
const flatMarkSchema = z.union([
  z.object({ resources: z.unknown() }),
  z.object({ thumbnail_url: z.unknown() }),
]);

/** Reads a post's reply; another post's is never taken for it. */
export function readPost(
  payload: unknown,
  post: Post,
  tools: Pick<SourceTools, "now" | "log">,
): Result<Media> {
  const item = itemOf(payload);
  if (!isPost(item, post.id)) return drifted("another post's reply", "code", "");
  const found = flatMarkSchema.safeParse(item).success ? readFlat(item) : readItem(item);
  if (found.ok) reportExpired(found.value.items, tools);
  return found;
}

function itemOf(payload: unknown): unknown {
  const inner = responseSchema.safeParse(payload).data?.response ?? payload;
  const wrapped = wrappedSchema.safeParse(inner);
  return wrapped.success ? wrapped.data : inner;
}

/** As with the platform's own form, a medium without its file is a failure of the source. */
function readFlat(item: unknown): Result<Media> {
  const read = readShape(item, flatSchema);
  if (!read.ok) return read;
  const { user, title, caption_text, resources, media_type } = read.value;
  if (user?.is_private === true) return failed("MEDIA_NOT_FOUND", "private");
  const children = resources ?? [];
  const isAlbum = media_type === CAROUSEL || children.length > 0;
  const media = isAlbum ? children : [read.value];
  const items = media.flatMap((medium) => fileOf(medium) ?? []);
  if (items.length === 0 || items.length < media.length) {
    return drifted(`incomplete item: ${items.length} of ${media.length} media`, "resources", "");
  }
  const metadata = {
    title: title ?? null,
    author: user?.username ?? null,
    caption: caption_text ?? null,
  };
  return success({ items, metadata });
}
