import * as z from "zod";
import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { MAX_RESULTS_LIMIT, mediaItemSchema, serviceSchema } from "../../src/contract/schemas.ts";

/** One line of the list: what to resolve. */
export const questionSchema = z.object({ service: serviceSchema, url: z.string() });
export type Question = z.infer<typeof questionSchema>;

const isCode = (text: string): text is ErrorCode => Object.hasOwn(ERRORS, text);

/** The outcome of the service, or of one of its sources. */
export const outcomeSchema = z.object({
  code: z.union([z.literal("OK"), z.custom<ErrorCode>((value) => isCode(String(value)))]),
  items: z.int(),
  durationMs: z.number(),
  /** Why there is no media; null for a success. */
  cause: z.string().nullable(),
  /** What has changed in the platform's reply, if that is why. */
  drift: z.object({ field: z.string(), excerpt: z.string() }).nullable(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

/** What a customer gets. */
const wholeSchema = outcomeSchema.extend({
  /** The source that found the media. */
  source: z.string().nullable(),
  /** What the error says. */
  message: z.string().nullable(),
  media: z.array(mediaItemSchema).max(MAX_RESULTS_LIMIT),
});

/**
 * From the worker: the result of the service and of each source that was asked, or why there is
 * none.
 */
export const findingsSchema = z.union([
  z.object({
    whole: wholeSchema,
    sources: z.array(outcomeSchema.extend({ source: z.string() })),
  }),
  z.object({ problem: z.string() }),
]);
export type Findings = z.infer<typeof findingsSchema>;
export type Answer = Exclude<Findings, { problem: string }>;
