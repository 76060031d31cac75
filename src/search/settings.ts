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
});
export type SearchSettings = z.infer<typeof searchSettingsSchema>;
