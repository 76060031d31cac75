import * as z from "zod/mini";
import { optional, optionalServerUrl } from "../../runtime/variables.ts";

/** The address of an own instance, without which none is asked, and its key where it wants one. */
export const cobaltSettingsSchema = z.object({
  COBALT_URL: optionalServerUrl,
  COBALT_API_KEY: optional,
});
export type CobaltSettings = z.infer<typeof cobaltSettingsSchema>;
