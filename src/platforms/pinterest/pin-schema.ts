import * as z from "zod/mini";
import { amount } from "../../upstream/renditions.ts";

const fileSchema = z.object({ url: z.string(), width: amount });
export type File = z.infer<typeof fileSchema>;

/** Images by size, such as `orig` or `736x`. A block of the page has only the URL, under `url`. */
const imagesSchema = z.record(z.string(), z.union([fileSchema, z.string(), z.null()]));

const file = z.nullish(fileSchema);

/** The fields in which a pin, a page, a block or a slot can have its picture. */
const pictureSchema = z.object({
  images: z.nullish(imagesSchema),
  images_orig: file,
  image_spec_orig: file,
  image_adjusted_spec_orig: file,
  images_736x: file,
  image_spec_736x: file,
  image_signature: z.nullish(z.string()),
});
export type Picture = z.infer<typeof pictureSchema>;

const picture = z.nullish(pictureSchema);

const blockSchema = z.object({
  ...pictureSchema.shape,
  type: z.nullish(z.string()),
  __typename: z.nullish(z.string()),
  image: picture,
  image_data: picture,
  // Renditions. Each layout names and nests them differently.
  video: z.optional(z.unknown()),
  video_data: z.optional(z.unknown()),
  video_data_v2: z.optional(z.unknown()),
  audio: z.nullish(z.object({ audio_url: z.nullish(z.string()) })),
});
export type Block = z.infer<typeof blockSchema>;

const pageSchema = z.object({
  ...pictureSchema.shape,
  blocks: z.nullish(z.array(blockSchema)),
  image: picture,
});
export type Page = z.infer<typeof pageSchema>;

const slotSchema = z.object({ ...pictureSchema.shape, videos: z.optional(z.unknown()) });
export type Slot = z.infer<typeof slotSchema>;

/** Metadata in another form is left out. It must not cost the media. */
const text = z.catch(z.nullish(z.string()), null);
const person = z.catch(
  z.nullish(z.object({ username: text, full_name: text, profile_url: text })),
  null,
);
export type Person = z.infer<typeof person>;

/** The fields of a pin that are read, as the resource endpoint names them, in lower case. */
export const pinSchema = z.object({
  ...pictureSchema.shape,
  title: text,
  grid_title: text,
  description: text,
  seo_description: text,
  closeup_unified_description: text,
  pinner: person,
  native_creator: person,
  closeup_attribution: person,
  board: z.nullish(z.object({ privacy: z.nullish(z.string()) })),
  is_video: z.nullish(z.boolean()),
  videos: z.optional(z.unknown()),
  story_pin_data: z.nullish(z.object({ pages: z.nullish(z.array(pageSchema)) })),
  carousel_data: z.nullish(z.object({ carousel_slots: z.nullish(z.array(slotSchema)) })),
  embed: z.nullish(z.object({ src: z.nullish(z.string()), type: z.nullish(z.string()) })),
});
export type Pin = z.infer<typeof pinSchema>;
