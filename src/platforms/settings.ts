import * as z from "zod/mini";
import { cobaltSettingsSchema } from "./cobalt/settings.ts";
import { hikerapiSettingsSchema } from "./hikerapi/settings.ts";
import { pinterestSettingsSchema } from "./pinterest/settings.ts";
import { tiktokSettingsSchema } from "./tiktok/settings.ts";

/** The variables of each platform and provider that has some. */
export const platformSettings = {
  cobalt: cobaltSettingsSchema,
  hikerapi: hikerapiSettingsSchema,
  pinterest: pinterestSettingsSchema,
  tiktok: tiktokSettingsSchema,
} as const;

const platformSettingsSchema = z.object(platformSettings);
export type PlatformSettings = z.infer<typeof platformSettingsSchema>;
