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
import { hikerapi } from "./hikerapi.ts";
import { fileOf, isKnown, type Medium, mediumSchema, reportExpired, text } from "./item.ts";
import type { HikerapiSettings } from "./settings.ts";

/**
 * What the platform knows about its posts. The provider passes them on in the platform's own form.
 */
export interface PostForm {
  /** The post's own code, without the suffix of share links. */
  readonly bareCode: (code: string) => string;
  /** Whether an item is the post with this code. */
  readonly isPost: (item: unknown, code: string) => boolean;
  /** Reads an item in the platform's own form. */
  readonly readItem: (item: unknown) => Answer<Media>;
}

/** A post by its code (recordings of 2025-11). */
export function hikerapiPost(settings: HikerapiSettings, form: PostForm): Source {
  return hikerapi(settings, {
    path: "/v1/media/by/code",
    query: ({ id }) => ({ code: form.bareCode(id) }),
    read: (payload, post, tools) => readPost(form, payload, { post, tools }),
  });
}

const CAROUSEL = 8;

/** The flat form: an album's children are its resources. */
const flatSchema = z.extend(mediumSchema, {
  title: text,
  caption_text: text,
  resources: z.nullish(z.array(mediumSchema)),
});

/**
 * `/v2/` endpoints wrap the item in one of these (insta-dl, 2026-08), or return it in a list
 * (recording).
 */
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

/** The platform's own form has neither of these fields. */
const flatMarkSchema = z.union([
  z.object({ resources: z.unknown() }),
  z.object({ thumbnail_url: z.unknown() }),
]);

/** Reads a post's reply. Ignores another post's reply. */
function readPost(
  form: PostForm,
  payload: unknown,
  { post, tools }: { post: Post; tools: SourceTools },
): Answer<Media> {
  const item = itemOf(payload);
  if (!form.isPost(item, post.id)) return drifted("another post's reply", "code", textOf(item));
  const found = flatMarkSchema.safeParse(item).success ? readFlat(item) : form.readItem(item);
  if (found.ok) reportExpired(found.value.items, tools);
  return found;
}

function itemOf(payload: unknown): unknown {
  const inner = responseSchema.safeParse(payload).data?.response ?? payload;
  const wrapped = wrappedSchema.safeParse(inner);
  return wrapped.success ? wrapped.data : inner;
}

/** As in the platform's own form, a medium without a file is a failure of the source. */
function readFlat(item: unknown): Answer<Media> {
  const read = readShape(item, flatSchema);
  if (!read.ok) return read;
  const { user, title, caption_text } = read.value;
  if (user?.is_private === true) return notFound("private");
  const media = mediaOf(read.value).filter(isKnown);
  const items = media.flatMap((medium) => fileOf(medium) ?? []);
  if (items.length === 0 || items.length < media.length) {
    return drifted(
      `incomplete item: ${items.length} of ${media.length} media`,
      "resources",
      textOf(item),
    );
  }
  const metadata = metadataOf({ title, author: user?.username, caption: caption_text });
  return success({ items, metadata });
}

function mediaOf(flat: z.infer<typeof flatSchema>): readonly Medium[] {
  const children = flat.resources ?? [];
  const isAlbum = flat.media_type === CAROUSEL || flat.product_type === "carousel_container";
  return isAlbum || children.length > 0 ? children : [flat];
}
