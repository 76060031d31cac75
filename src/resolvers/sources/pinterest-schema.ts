import * as z from "zod";

const fileSchema = z.object({ url: z.string(), width: z.number().nullish() });
export type File = z.infer<typeof fileSchema>;

/** By size, such as `orig` or `736x`; a page's own block has the address alone, under `url`. */
const imagesSchema = z.record(z.string(), z.union([fileSchema, z.string(), z.null()]));

const file = fileSchema.nullish();

/** Where a pin, a page of it, a block of that or a slot has its picture: in one of these ways. */
const pictureSchema = z.object({
  images: imagesSchema.nullish(),
  images_orig: file,
  image_spec_orig: file,
  image_adjusted_spec_orig: file,
  images_736x: file,
  image_spec_736x: file,
  image_signature: z.string().nullish(),
});
export type Picture = z.infer<typeof pictureSchema>;

const picture = pictureSchema.nullish();

const blockSchema = z.object({
  ...pictureSchema.shape,
  type: z.string().nullish(),
  __typename: z.string().nullish(),
  image: picture,
  image_data: picture,
  // Renditions, keyed and nested differently in each layout.
  video: z.unknown().optional(),
  video_data: z.unknown().optional(),
  video_data_v2: z.unknown().optional(),
  audio: z.object({ audio_url: z.string().nullish() }).nullish(),
});
export type Block = z.infer<typeof blockSchema>;

const pageSchema = z.object({
  ...pictureSchema.shape,
  blocks: z.array(blockSchema).nullish(),
  image: picture,
});
export type Page = z.infer<typeof pageSchema>;

const slotSchema = z.object({ ...pictureSchema.shape, videos: z.unknown().optional() });
export type Slot = z.infer<typeof slotSchema>;

const person = z
  .object({
    username: z.string().nullish(),
    full_name: z.string().nullish(),
    profile_url: z.string().nullish(),
  })
  .nullish();
export type Person = z.infer<typeof person>;

/** The fields of a pin that are read, as the resource endpoint names them, in lower case. */
export const pinSchema = z.object({
  ...pictureSchema.shape,
  title: z.string().nullish(),
  grid_title: z.string().nullish(),
  description: z.string().nullish(),
  seo_description: z.string().nullish(),
  closeup_unified_description: z.string().nullish(),
  pinner: person,
  native_creator: person,
  closeup_attribution: person,
  board: z.object({ privacy: z.string().nullish() }).nullish(),
  is_video: z.boolean().nullish(),
  videos: z.unknown().optional(),
  story_pin_data: z.object({ pages: z.array(pageSchema).nullish() }).nullish(),
  carousel_data: z.object({ carousel_slots: z.array(slotSchema).nullish() }).nullish(),
  embed: z.object({ src: z.string().nullish(), type: z.string().nullish() }).nullish(),
});
export type Pin = z.infer<typeof pinSchema>;
