import * as z from "zod";

const mediumSchema = z.object({
  type: z.string(),
  media_url_https: z.string().nullish(),
  ext_media_availability: z.object({ status: z.string() }).nullish(),
  video_info: z
    .object({
      variants: z.array(
        z.object({ content_type: z.string(), bitrate: z.number().nullish(), url: z.string() }),
      ),
    })
    .nullish(),
});
export type Medium = z.infer<typeof mediumSchema>;

const linkSchema = z.object({ url: z.string(), expanded_url: z.string().nullish() });

const postSchema = z.object({
  __typename: z.literal("Tweet"),
  id_str: z.string(),
  text: z.string().nullish(),
  display_text_range: z.tuple([z.number(), z.number()]).nullish(),
  entities: z
    .object({ urls: z.array(linkSchema).nullish(), media: z.array(linkSchema).nullish() })
    .nullish(),
  user: z.object({ screen_name: z.string() }).nullish(),
  mediaDetails: z.array(mediumSchema).nullish(),
  card: z
    .object({
      binding_values: z
        .object({ unified_card: z.object({ string_value: z.string() }).nullish() })
        .nullish(),
    })
    .nullish(),
  quoted_tweet: z.object({ mediaDetails: z.array(mediumSchema).nullish() }).nullish(),
});
export type SyndicatedPost = z.infer<typeof postSchema>;

/** In place of a post that is deleted, age-restricted, of a suspended or protected account. */
const tombstoneSchema = z.object({
  __typename: z.literal("TweetTombstone"),
  tombstone: z.object({ text: z.object({ text: z.string() }).nullish() }).nullish(),
});

/** The fields of a reply that are read, and no others. */
export const replySchema = z.discriminatedUnion("__typename", [postSchema, tombstoneSchema]);

/** A promoted video or image with a link, as cobalt reads it (2026-04). */
export const unifiedCardSchema = z.object({
  type: z.enum(["video_website", "image_website"]),
  component_objects: z.object({ media_1: z.object({ data: z.object({ id: z.string() }) }) }),
  media_entities: z.record(z.string(), mediumSchema),
});
