import * as z from "zod/mini";

const mediumSchema = z.object({
  type: z.string(),
  media_url_https: z.nullish(z.string()),
  ext_media_availability: z.nullish(z.object({ status: z.string() })),
  video_info: z.nullish(
    z.object({
      variants: z.array(
        z.object({ content_type: z.string(), bitrate: z.nullish(z.number()), url: z.string() }),
      ),
    }),
  ),
});
export type Medium = z.infer<typeof mediumSchema>;

const linkSchema = z.object({ url: z.string(), expanded_url: z.nullish(z.string()) });

const postSchema = z.object({
  __typename: z.literal("Tweet"),
  id_str: z.string(),
  text: z.nullish(z.string()),
  display_text_range: z.nullish(z.tuple([z.number(), z.number()])),
  entities: z.nullish(
    z.object({ urls: z.nullish(z.array(linkSchema)), media: z.nullish(z.array(linkSchema)) }),
  ),
  user: z.nullish(z.object({ screen_name: z.string() })),
  mediaDetails: z.nullish(z.array(mediumSchema)),
  card: z.nullish(
    z.object({
      binding_values: z.nullish(
        z.object({ unified_card: z.nullish(z.object({ string_value: z.string() })) }),
      ),
    }),
  ),
  quoted_tweet: z.nullish(z.object({ mediaDetails: z.nullish(z.array(mediumSchema)) })),
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
export const unifiedCardSchema = z.object({
  type: z.enum(["video_website", "image_website"]),
  component_objects: z.object({ media_1: z.object({ data: z.object({ id: z.string() }) }) }),
  media_entities: z.record(z.string(), mediumSchema),
});
