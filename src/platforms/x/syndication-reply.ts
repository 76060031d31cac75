import * as z from "zod/mini";
import { amount } from "../../upstream/renditions.ts";

const mediumSchema = z.object({
  type: z.string(),
  media_url_https: z.nullish(z.string()),
  ext_media_availability: z.nullish(z.object({ status: z.string() })),
  video_info: z.nullish(
    z.object({
      variants: z.array(z.object({ content_type: z.string(), bitrate: amount, url: z.string() })),
    }),
  ),
});
export type Medium = z.infer<typeof mediumSchema>;

const links = z.nullish(
  z.array(z.object({ url: z.string(), expanded_url: z.nullish(z.string()) })),
);

/**
 * The fields that show a post's media. `photos` and `video` show it once more, in another spelling,
 * and `entities.media` has a link for it.
 */
const mediaFields = {
  mediaDetails: z.nullish(z.array(mediumSchema)),
  photos: z.optional(z.unknown()),
  video: z.optional(z.unknown()),
};
const quotedSchema = z.object({
  ...mediaFields,
  entities: z.catch(z.nullish(z.object({ media: z.nullish(z.array(z.unknown())) })), null),
});
export type ShownMedia = z.infer<typeof quotedSchema>;

/** The other spelling (react-tweet's types, 2026-06). It has no bit rates. */
export const photosSchema = z.pipe(
  z.array(z.object({ url: z.string() })),
  z.transform((photos) => photos.map(({ url }) => ({ type: "photo", media_url_https: url }))),
);
export const videoSchema = z.pipe(
  z.object({
    mediaAvailability: mediumSchema.shape.ext_media_availability,
    variants: z.array(z.object({ type: z.string(), src: z.string() })),
  }),
  z.transform(({ mediaAvailability, variants }) => ({
    type: "video",
    ext_media_availability: mediaAvailability,
    video_info: {
      variants: variants.map(({ type, src }) => ({ content_type: type, bitrate: 0, url: src })),
    },
  })),
);

const postSchema = z.object({
  ...mediaFields,
  __typename: z.literal("Tweet"),
  id_str: z.string(),
  // Metadata in another form is left out. It must not cost the media.
  text: z.catch(z.nullish(z.string()), null),
  display_text_range: z.catch(z.nullish(z.tuple([z.number(), z.number()])), null),
  entities: z.catch(z.nullish(z.object({ urls: links, media: links })), null),
  user: z.catch(z.nullish(z.object({ screen_name: z.string() })), null),
  card: z.nullish(
    z.object({
      binding_values: z.nullish(
        z.object({ unified_card: z.nullish(z.object({ string_value: z.string() })) }),
      ),
    }),
  ),
  quoted_tweet: z.nullish(quotedSchema),
});
export type SyndicatedPost = z.infer<typeof postSchema>;

/**
 * Replaces a post that is deleted or age-restricted, or whose account is suspended or protected.
 */
const tombstoneSchema = z.object({
  __typename: z.literal("TweetTombstone"),
  tombstone: z.nullish(z.object({ text: z.nullish(z.object({ text: z.string() })) })),
});

/** The fields of a reply that we read, and no others. */
export const replySchema = z.discriminatedUnion("__typename", [postSchema, tombstoneSchema]);

/** A promoted video or image with a link, as cobalt reads it (2026-04). */
export const cardTypeSchema = z.object({ type: z.enum(["video_website", "image_website"]) });
export const unifiedCardSchema = z.object({
  component_objects: z.object({ media_1: z.object({ data: z.object({ id: z.string() }) }) }),
  media_entities: z.record(z.string(), mediumSchema),
});
