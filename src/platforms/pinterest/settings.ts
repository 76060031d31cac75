import * as z from "zod/mini";
import { text } from "../../runtime/variables.ts";

/** What the resource endpoint requires. It changes now and then. */
export const pinterestSettingsSchema = z.object({
  PINBOARD_HANDLER: z._default(text, "www/pin/[id].js"),
  PINBOARD_FIELD_SET: z._default(text, "detailed"),
});
export type PinterestSettings = z.infer<typeof pinterestSettingsSchema>;
