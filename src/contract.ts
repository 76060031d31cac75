import * as z from "zod";

/** The service identifiers, in the order of the specification's section 1. */
export const SERVICES = [
  "photo-feed",
  "photo-feed-story",
  "photo-feed-highlight",
  "short-video",
  "microblog",
  "pinboard",
  "messenger-channel",
] as const;

export const URL_LIMIT_CHARACTERS = 2048;
export const MAX_RESULTS_LIMIT = 20;
export const MAX_RESULTS_DEFAULT = 10;

export const serviceSchema = z.enum(SERVICES, `must be one of ${SERVICES.join(", ")}`);
export type Service = z.infer<typeof serviceSchema>;

const COUNT_RULE = `must be an integer from 1 to ${MAX_RESULTS_LIMIT}`;

/** Section 2.1. Which URLs a service accepts is its resolver's business (`resolvers/`). */
export const resolveRequestSchema = z.strictObject(
  {
    service: serviceSchema,
    url: z.string("must be a string").refine((url) => [...url].length <= URL_LIMIT_CHARACTERS, {
      error: `must be at most ${URL_LIMIT_CHARACTERS} characters`,
      abort: true,
    }),
    max_results: z
      .int(COUNT_RULE)
      .min(1, COUNT_RULE)
      .max(MAX_RESULTS_LIMIT, COUNT_RULE)
      .default(MAX_RESULTS_DEFAULT),
  },
  "must be a JSON object",
);
export type ResolveRequest = z.infer<typeof resolveRequestSchema>;

/** Section 2.3. The URL is temporary. */
export const mediaItemSchema = z.strictObject({
  type: z.enum(["video", "image", "audio"]),
  url: z.url(),
});
export type MediaItem = z.infer<typeof mediaItemSchema>;

/** Section 2.4. */
export const mediaMetadataSchema = z.strictObject({
  title: z.string().nullable(),
  author: z.string().nullable(),
  caption: z.string().nullable(),
});
export type MediaMetadata = z.infer<typeof mediaMetadataSchema>;

/** Section 2.2. */
export const resolveResponseSchema = z.strictObject({
  ok: z.literal(true),
  service: serviceSchema,
  source_url: z.url(),
  item_count: z.int().min(1).max(MAX_RESULTS_LIMIT),
  items: z.array(mediaItemSchema).min(1).max(MAX_RESULTS_LIMIT),
  metadata: mediaMetadataSchema,
  request_id: z.uuid(),
  credits_used: z.int().min(1),
});
export type ResolveResponse = z.infer<typeof resolveResponseSchema>;

/** Section 2.5. Every error also repeats the request id. */
export const errorSchema = z.looseObject({
  error: z.literal(true),
  code: z.string(),
  message: z.string(),
  request_id: z.uuid(),
});
export type ErrorBody = z.infer<typeof errorSchema>;
