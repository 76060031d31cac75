import * as z from "zod/mini";
import { optional, serverUrl } from "../../runtime/variables.ts";

/** The provider's address and key. Without the key it is not asked. */
export const hikerapiSettingsSchema = z.object({
  HIKERAPI_URL: z._default(serverUrl, "https://api.hikerapi.com"),
  HIKERAPI_KEY: optional,
});
export type HikerapiSettings = z.infer<typeof hikerapiSettingsSchema>;
