import * as z from "zod/mini";
import { optional, optionalServerUrl } from "../../runtime/variables.ts";

/**
 * The address of our own instance, and its key if it requires one. Without the address it is not
 * asked.
 */
export const cobaltSettingsSchema = z.object({
  COBALT_URL: optionalServerUrl,
  COBALT_API_KEY: optional,
});
export type CobaltSettings = z.infer<typeof cobaltSettingsSchema>;
