import * as z from "zod/mini";
import { serviceSchema } from "../../src/contract/schemas.ts";

/** In the request's header; the reply to read is its body. */
export const TASK_HEADER = "x-task";

export const hostileTaskSchema = z.object({
  service: serviceSchema,
  source: z.string(),
  postUrl: z.string(),
  /** 0 only hands the reply over. */
  times: z.int(),
});
export type HostileTask = z.infer<typeof hostileTaskSchema>;

export const hostileOutcomeSchema = z.object({
  /** `OK` or an error's code. */
  outcome: z.string(),
  /** The source's own bound on the reply. */
  maxBytes: z.int(),
});
