import * as z from "zod";
import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { serviceSchema } from "../../src/contract/schemas.ts";

/** One line of the list: what to resolve. */
export const questionSchema = z.object({ service: serviceSchema, url: z.string() });
export type Question = z.infer<typeof questionSchema>;

const isCode = (text: string): text is ErrorCode => Object.hasOwn(ERRORS, text);

/** The outcome of the service, or of one of its sources. */
export const outcomeSchema = z.object({
  code: z.union([z.literal("OK"), z.custom<ErrorCode>((value) => isCode(String(value)))]),
  items: z.int(),
  durationMs: z.number(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

/**
 * From the worker: the result of the service and of each source that was asked, or why there is
 * none.
 */
export const findingsSchema = z.union([
  z.object({
    whole: outcomeSchema,
    sources: z.array(outcomeSchema.extend({ source: z.string() })),
  }),
  z.object({ problem: z.string() }),
]);
export type Findings = z.infer<typeof findingsSchema>;
export type Answer = Exclude<Findings, { problem: string }>;
