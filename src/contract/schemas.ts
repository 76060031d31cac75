import * as z from "zod/mini";

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

/** Section 2.1. Each service's resolver says which URLs it accepts (`src/platforms/`). */
export const resolveRequestSchema = z.strictObject(
  {
    service: serviceSchema,
    url: z.string("must be a string").check(
      z.refine((url) => [...url].length <= URL_LIMIT_CHARACTERS, {
        error: `must be at most ${URL_LIMIT_CHARACTERS} characters`,
        abort: true,
      }),
    ),
    max_results: z._default(
      z.int(COUNT_RULE).check(z.minimum(1, COUNT_RULE), z.maximum(MAX_RESULTS_LIMIT, COUNT_RULE)),
      MAX_RESULTS_DEFAULT,
    ),
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
  title: z.nullable(z.string()),
  author: z.nullable(z.string()),
  caption: z.nullable(z.string()),
});
export type MediaMetadata = z.infer<typeof mediaMetadataSchema>;

/** Section 2.2. */
export const resolveResponseSchema = z.strictObject({
  ok: z.literal(true),
  service: serviceSchema,
  source_url: z.url(),
  item_count: z.int().check(z.minimum(1), z.maximum(MAX_RESULTS_LIMIT)),
  items: z.array(mediaItemSchema).check(z.minLength(1), z.maxLength(MAX_RESULTS_LIMIT)),
  metadata: mediaMetadataSchema,
  request_id: z.uuid(),
  credits_used: z.int().check(z.minimum(1)),
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
