import * as z from "zod/mini";

/** What the player's endpoint requires beside the id. It changes now and then. */
export const tiktokSettingsSchema = z.object({
  SHORT_VIDEO_PLAYER_QUERY: z._default(
    z.string(),
    "aid=1284&app_name=tiktok_web&device_platform=web_pc",
  ),
});
export type TiktokSettings = z.infer<typeof tiktokSettingsSchema>;
