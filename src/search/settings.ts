import * as z from "zod/mini";
import { optional, optionalServerUrl, text } from "../runtime/variables.ts";

/** The variables of the search and of its upstream requests. */
export const searchSettingsSchema = z.object({
  RESOLVE_WINDOW_MS: z._default(
    z.coerce.number().check(z.int(), z.minimum(100), z.maximum(120_000)),
    120_000,
  ),
  USER_AGENT: text,
  EGRESS_URL: optionalServerUrl,
  SOURCES: optional,
  HEDGE_DELAYS: optional,
  PAID_HEDGE_DELAY_MS: z._default(
    z.coerce.number().check(z.int(), z.minimum(0), z.maximum(120_000)),
    8_000,
  ),
});
export type SearchSettings = z.infer<typeof searchSettingsSchema>;
