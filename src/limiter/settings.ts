import * as z from "zod/mini";
import { httpUrl, text } from "../runtime/variables.ts";

/** The variables of the rate limiter. */
export const limiterSettingsSchema = z.object({
  UPSTASH_REDIS_REST_URL: httpUrl,
  UPSTASH_REDIS_REST_TOKEN: text,
});
